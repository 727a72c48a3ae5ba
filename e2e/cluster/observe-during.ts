import { setTimeout as pause } from 'node:timers/promises'

/**
 * Polls `look` while a task runs and returns each distinct value once, in the order of its first occurrence.
 *
 * @throws The error of the task or of `look`.
 */
export async function observeDuring(task: Promise<unknown>, look: () => Promise<string>): Promise<readonly string[]> {
  const seen = new Set<string>()
  const ending = task.then(() => true)
  // Handled below, unless `look` throws first.
  ending.catch(() => undefined)
  do seen.add(await look())
  while (!(await Promise.race([ending, pause(100, false)])))
  return [...seen]
}
