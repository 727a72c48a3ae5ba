import { printableLine } from '@berth/text/printable'
import { groupAnswers, obstaclesOf, type AnswerGroup } from '../../explain/groups/group-answers.ts'
import { narrowingSteps } from '../../explain/narrowing-steps.ts'
import type { PodAnswer } from '../../explain/pod-answer.ts'
import { MAX_NODES, MAX_PODS, type PendingGroup, type PendingModel, type Remedy } from './pending-model.ts'

/**
 * Returns the answers of `explain --all-pending`, grouped as there.
 *
 * @param sentences.notes - Say what is missing from the answers.
 * @param sentences.summary - Stands for the groups where there are none.
 */
export function buildPendingModel(
  answers: readonly PodAnswer[],
  timeMs: number,
  { notes, summary }: { readonly notes: readonly string[]; readonly summary: string },
): PendingModel {
  const groups = groupAnswers(answers).map(pendingGroup)
  return {
    timeMs,
    groups,
    summary: groups.length === 0 ? printableLine(summary) : '',
    notes: notes.map(printableLine),
  }
}

function pendingGroup({ cause, count, pods, answer }: AnswerGroup): PendingGroup {
  const rejecting = answer.nodes.filter(({ verdict }) => verdict !== 'fits')
  return {
    cause: printableLine(cause),
    count,
    pods: pods.slice(0, MAX_PODS).map(({ namespace, name }) => printableLine(`${namespace}/${name}`)),
    profile: printableLine(answer.profile?.sentence ?? ''),
    nodeCount: answer.nodes.length,
    funnel: narrowingSteps(answer).map(({ plugin, before, after }) => ({
      plugin: printableLine(plugin),
      before,
      after,
    })),
    nodes: rejecting.slice(0, MAX_NODES).map(({ node, reasons }) => ({
      node: printableLine(node),
      reasons: reasons.map(printableLine),
    })),
    obstacles: obstaclesOf(answer).map(remedy),
    // A pod that fits waits for something else.
    fixes: answer.fits ? [] : answer.fixes.map(remedy),
  }
}

function remedy({ sentence, commands }: Remedy): Remedy {
  return { sentence: printableLine(sentence), commands: commands.map(printableLine) }
}
