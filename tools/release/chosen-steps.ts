import type { ReleaseStep } from './step.ts'

/**
 * Returns the named steps and those whose files they read, in the order of `steps`.
 *
 * @param names - Empty for all steps.
 */
export function chosenSteps(steps: readonly ReleaseStep[], names: readonly string[]): readonly ReleaseStep[] {
  if (names.length === 0) return steps
  const chosen = new Set<string>()
  const choose = (name: string): void => {
    if (chosen.has(name)) return
    chosen.add(name)
    for (const read of steps.find((step) => step.name === name)?.reads ?? []) choose(read)
  }
  for (const name of names) choose(name)
  return steps.filter(({ name }) => chosen.has(name))
}
