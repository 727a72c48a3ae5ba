import type { Outcome, StepOutcome } from './run-history.ts'

/** The first step after which two schedulers differ. */
export interface Difference {
  /** Index of the step. */
  readonly step: number
  /** One line per pod: where it is in the first and in the second outcome. */
  readonly pods: readonly string[]
}

/** Compares which pods are placed, pending and deleted after each step. Returns undefined when all steps are equal. */
export function compareOutcomes(first: Outcome, second: Outcome): Difference | undefined {
  for (const [step, a] of first.entries()) {
    const b = second[step] ?? { placed: [], pending: [] }
    const names = new Set([...a.placed, ...a.pending, ...b.placed, ...b.pending])
    const pods = [...names].flatMap((name) => {
      const [inFirst, inSecond] = [placeOf(a, name), placeOf(b, name)]
      return inFirst === inSecond ? [] : [`${name}: ${inFirst} / ${inSecond}`]
    })
    if (pods.length > 0) return { step, pods }
  }
  return undefined
}

function placeOf({ placed, pending }: StepOutcome, name: string): 'placed' | 'pending' | 'deleted' {
  if (placed.includes(name)) return 'placed'
  return pending.includes(name) ? 'pending' : 'deleted'
}
