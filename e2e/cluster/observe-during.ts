import { setTimeout as pause } from 'node:timers/promises'

/**
 * What a look shows while a task goes on, each sight once, in the order of the first time.
 *
 * @throws What the task or the look throws.
 */
export async function seenWhile(task: Promise<unknown>, look: () => Promise<string>): Promise<readonly string[]> {
  const seen = new Set<string>()
  const ending = task.then(() => true)
  // Heard of below, unless a look throws first.
  ending.catch(() => undefined)
  do seen.add(await look())
  while (!(await Promise.race([ending, pause(100, false)])))
  return [...seen]
}
