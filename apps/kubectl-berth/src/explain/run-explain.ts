import type { CommandLine } from '@berth/process/command'
import { shellCommand } from '@berth/text/shell-command'
import { type ClusterSnapshot, snapshotCluster } from '@berth/cluster-view'
import { explain, isOffered, unsupportedFeatures } from '@berth/fit-engine'
import { schedulerNameOf } from '@berth/scheduler-config'
import type { CommandContext } from '../cli/command.ts'
import { CommandError, UsageError } from '../errors.ts'
import { paintFor } from '../output/paint.ts'
import { withProgress } from '../cli/progress.ts'
import { readTextFile } from '../cli/read-text-file.ts'
import type { Session } from '../cli/session.ts'
import { structuredText } from '../output/structured-text.ts'
import { answerText } from './answer-text.ts'
import { explainGroup } from './explain-group.ts'
import { findWorkload } from './find-workload.ts'
import type { FixTarget } from './recipes/fix-recipe.ts'
import { disagreementOf } from './disagreement.ts'
import { knownObjects } from './observed/known-objects.ts'
import { observedStatus } from './observed/observed-status.ts'
import { readSurroundings } from './observed/pod-surroundings.ts'
import { leaseNamesOf } from './observed/scheduler-sign.ts'
import { podAnswer, type PodAnswer } from './pod-answer.ts'
import { podFromManifest, readPod } from './read-pod.ts'
import { heldBack } from '../profile/held-back.ts'
import { loadProfiles, type Profiles } from '../profile/load-profiles.ts'

const HELP = 'Run: kubectl berth explain --help'

/** Runs `kubectl berth explain`. */
export async function runExplain(line: CommandLine, context: CommandContext): Promise<void> {
  const { terminal, connect } = context
  const wanted = wantedPod(line)
  const profiles = await loadProfiles(line, context)
  for (const note of profiles.notes) terminal.note(`${note}\n`)
  await using session = await connect()
  const namespace = line.text('namespace') ?? session.namespace
  const answer = await withProgress(terminal, 'Reading nodes and pods', () =>
    explainPod({ ...wanted, namespace }, { session, profiles }, context),
  )
  const format = line.text('output')
  terminal.out(
    format === 'json' || format === 'yaml'
      ? structuredText(answer, format)
      : answerText(answer, {
          columns: terminal.columns,
          paint: paintFor(terminal),
          isWide: format === 'wide',
          nowMs: terminal.clock.now(),
        }),
  )
}

interface WantedPod {
  readonly name: string | undefined
  readonly file: string | undefined
}

function wantedPod(line: CommandLine): WantedPod {
  const file = line.text('filename')
  const [kind = '', name, ...rest] = line.words.flatMap((word) => word.split('/'))
  if (file !== undefined) {
    if (line.words.length > 0) throw new UsageError('explain: give either a pod or a file, not both', HELP)
    return { name: undefined, file }
  }
  if (!['pod', 'pods', 'po'].includes(kind)) {
    if (kind === '') throw new UsageError('explain: which pod?', HELP)
    const hint =
      line.words.length === 1 && name === undefined
        ? `Run: ${shellCommand('kubectl', 'berth', 'explain', 'pod', kind)}`
        : HELP
    throw new UsageError(`explain: cannot explain "${kind}", only pods`, hint)
  }
  if (name === undefined || name === '' || rest.length > 0) throw new UsageError('explain: expected one pod', HELP)
  return { name, file: undefined }
}

async function explainPod(
  wanted: WantedPod & { readonly namespace: string },
  { session, profiles }: { readonly session: Session; readonly profiles: Profiles },
  { terminal, stop }: CommandContext,
): Promise<PodAnswer> {
  const { cluster } = session
  const { client } = cluster
  const { name = '', namespace, file } = wanted
  const pod =
    file === undefined
      ? await readPod(client, { namespace, name }, stop)
      : podFromManifest(await readTextFile(terminal, file), { file, namespace })
  const [snapshot, workload] = await Promise.all([
    snapshotCluster(client, { signal: stop, configMaps: profiles.configMaps }),
    file === undefined ? findWorkload(client, pod, stop) : undefined,
  ])
  const { forbidden, unreadable } = snapshot
  if (forbidden.length > 0) terminal.note(`Evaluated without ${forbidden.join(', ')}: this user may not list them.\n`)
  if (unreadable.length > 0) terminal.note(`Skipped unreadable objects: ${unreadable.join(', ')}\n`)
  const target = { pod, workload, file, nodeOf: (node: string) => snapshot.nodes.get(node) }
  const { clock, random } = terminal
  const { framework } = profiles.profileOf(pod)
  const groupInput = { cluster, snapshot, framework, nowMs: clock.now(), random, signal: stop }
  const group = await explainGroup(pod, groupInput)
  const answer = { ...explainOnSnapshot(target, snapshot, profiles, terminal), ...(group !== undefined && { group }) }
  if (file !== undefined) return answer
  const around = await readSurroundings(client, pod, {
    leaseNames: leaseNamesOf(schedulerNameOf(pod), profiles.leaseName),
    signal: stop,
  })
  const observed = observedStatus(pod, around, { known: knownObjects(snapshot), nowMs: clock.now() })
  const disagreement = disagreementOf(answer, observed, { profiles, nowMs: clock.now() })
  return { ...answer, observed, ...(disagreement !== undefined && { disagreement }) }
}

/**
 * Explains where a pod fits on a snapshot, which it changes: it deletes a bound pod there to evaluate the pod as if it
 * were not bound.
 *
 * @throws CommandError BERTH_KUBECTL_JUDGE when a plugin failed.
 */
export function explainOnSnapshot(
  target: FixTarget,
  { state }: Pick<ClusterSnapshot, 'state'>,
  profiles: Profiles,
  { clock, random }: Pick<CommandContext['terminal'], 'clock' | 'random'>,
): PodAnswer {
  const { pod } = target
  const { nodeName: _, ...spec } = pod.spec
  const unplaced = { ...pod, spec }
  state.deletePod(pod)
  const profile = profiles.profileOf(pod)
  const explanation = explain(profile.framework, state, unplaced, { nowMs: clock.now(), random })
  const { error } = explanation.decision
  if (error !== undefined) {
    throw new CommandError(`explain pod ${pod.metadata.name ?? ''}: plugin ${error.plugin} failed: ${error.message}`, {
      code: 'BERTH_KUBECTL_JUDGE',
      cause: error.cause,
    })
  }
  const unsupported = unsupportedFeatures(pod, state.objects, (name) => isOffered(state, name))
  const hold = heldBack(profile, unplaced)
  return {
    ...podAnswer(explanation, target, [...unsupported, ...profiles.notRun(profile)]),
    ...(hold !== undefined && { heldBack: hold }),
  }
}
