import { expect, test } from 'vitest'
import { readSchedulerConfiguration } from './read-scheduler-configuration.ts'

test.for([
  { it: 'an alias without an anchor', text: 'profiles: *x', reason: 'Unresolved alias' },
  { it: 'a value that contains itself', text: 'profiles: &a [*a]', reason: 'a value contains itself' },
  {
    it: 'too many aliases',
    text: `a: &a [x]\nb: [${Array.from({ length: 101 }, () => '*a').join(',')}]`,
    reason: 'Excessive alias count',
  },
])('refuses a file with $it as a mistake in the file', ({ text, reason }) => {
  expect(() => readSchedulerConfiguration('s.yaml', () => text)).toThrow(
    expect.objectContaining({
      code: 'BERTH_SCHEDULER_CONFIG_INVALID',
      message: expect.stringContaining(`read KubeSchedulerConfiguration s.yaml: ${reason}`) as string,
    }) as Error,
  )
})
