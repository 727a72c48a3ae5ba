import { describe, expect, test } from 'vitest'
import { nextProbeState, type ProbeState } from './probe-state.ts'

/** Runs a probe every ten seconds: `+` passes and `-` fails. Returns `H` or `u` after each run. */
function healthAfter(runs: string, thresholds = { failures: 1, successes: 1, dampingMs: 0 }, stepMs = 10_000): string {
  let state: ProbeState | undefined
  return runs
    .split('')
    .map((run, index) => {
      const result = run === '+' ? ({ health: 'Healthy' } as const) : ({ health: 'Unhealthy', reason: 'no' } as const)
      state = nextProbeState(state, result, { thresholds, nowMs: index * stepMs })
      return state.isPassing ? 'H' : 'u'
    })
    .join('')
}

describe('nextProbeState', () => {
  test.for([
    { it: 'the first run decides at once', runs: '-', failures: 3, successes: 3, after: 'u' },
    {
      it: 'one failure below the threshold changes nothing',
      runs: '+--+--',
      failures: 3,
      successes: 1,
      after: 'HHHHHH',
    },
    { it: 'failures in a row make it fail', runs: '+---', failures: 3, successes: 1, after: 'HHHu' },
    { it: 'passes in a row make it pass', runs: '-++-+++', failures: 1, successes: 3, after: 'uuuuuuH' },
    { it: 'thresholds of one follow each run', runs: '+-+-', failures: 1, successes: 1, after: 'HuHu' },
  ])('$it', ({ runs, failures, successes, after }) => {
    expect(healthAfter(runs, { failures, successes, dampingMs: 0 })).toBe(after)
  })

  test('a device that fails again and again must pass for longer each time', () => {
    const thresholds = { failures: 1, successes: 1, dampingMs: 20_000 }
    //                                first      second     third failure: 40 s
    expect(healthAfter('+-+-++++-+++++', thresholds)).toBe('HuHuuuHHuuuuuH')
  })

  test('a failure while it must pass starts the time again', () => {
    const thresholds = { failures: 1, successes: 1, dampingMs: 20_000 }
    expect(healthAfter('+-+-+-+++', thresholds)).toBe('HuHuuuuuH')
  })

  test('failures that are longer than ten minutes apart are not damped', () => {
    const thresholds = { failures: 1, successes: 1, dampingMs: 20_000 }
    expect(healthAfter('+-+-+', thresholds, 400_000)).toBe('HuHuH')
  })

  test('tells how long a damped device must pass', () => {
    const thresholds = { failures: 1, successes: 1, dampingMs: 30_000 }
    const failing = { isPassing: false, reason: 'no', contrary: 0, failedAtMs: [0, 20_000] }
    const { reason } = nextProbeState(failing, { health: 'Healthy' }, { thresholds, nowMs: 30_000 })
    expect(reason).toBe('it failed 2 times in ten minutes and must pass for 30 s more')
  })
})
