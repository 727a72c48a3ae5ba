import { disagreementSummary } from '../disagreement.ts'
import type { Obstacle } from '../observed/find-obstacles.ts'
import type { ObservedStatus } from '../observed/observed-status.ts'
import type { PodAnswer } from '../pod-answer.ts'

/** Pods that wait for the same cause. */
export interface AnswerGroup {
  readonly cause: string
  readonly count: number
  readonly pods: readonly { readonly namespace: string; readonly name: string }[]
  /** The answer of the first pod, which stands for all. */
  readonly answer: PodAnswer
}

/** Groups answers by cause, the largest group first, and groups of one size by their text. */
export function groupAnswers(answers: readonly PodAnswer[]): readonly AnswerGroup[] {
  return [...Map.groupBy(answers, causeOf)]
    .flatMap(([cause, [answer, ...others]]) =>
      answer === undefined
        ? []
        : {
            cause,
            count: others.length + 1,
            pods: [answer, ...others].map(({ pod }) => ({ namespace: pod.namespace, name: pod.name })),
            answer,
          },
    )
    .toSorted((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1))
}

/** Returns what keeps the pod from running besides the decision, in the order in which it must be removed. */
export function obstaclesOf({ observed, hindrances = [] }: PodAnswer): readonly Obstacle[] {
  return [...hindrances, ...(observed?.obstacles ?? [])]
}

/** Returns the cause for which a pod waits, as one sentence. The first obstacle counts, then the verdict. */
export function causeOf(answer: PodAnswer): string {
  const { observed, pod, heldBack, group, fits, message, disagreement, notEvaluated } = answer
  const [obstacle] = obstaclesOf(answer)
  if (obstacle !== undefined) return obstacle.sentence
  if (pod.nodeName !== undefined) return boundCause(observed)
  if (heldBack !== undefined) return `The pod is ${heldBack}.`
  if (group !== undefined) return `The pod is placed with its group: ${group}.`
  if (notEvaluated !== undefined) return observed?.scheduled?.message || `The pod was not evaluated: ${notEvaluated}.`
  if (!fits) return message
  if (observed?.scheduler?.state === 'none') return `The pod fits, but: ${observed.scheduler.sentence}`
  if (disagreement !== undefined && observed !== undefined) return disagreementSummary(observed)
  return 'The pod fits; its scheduler has not placed it yet.'
}

function boundCause(observed: ObservedStatus | undefined): string {
  return observed?.phase === 'Running' ? 'The pod runs.' : 'The pod has a node; its containers have not started yet.'
}
