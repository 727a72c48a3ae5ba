import type { PodAnswer } from './pod-answer.ts'

/** Returns the filters that rejected nodes, in their order; none for a pod that fits on every node. */
export function narrowingSteps({ funnel, nodes, feasible }: PodAnswer): PodAnswer['funnel'] {
  return nodes.length === feasible.length ? [] : funnel.filter(({ before, after }) => after < before)
}
