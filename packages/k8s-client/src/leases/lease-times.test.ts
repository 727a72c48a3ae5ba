import { expect, test } from 'vitest'
import { checkLeaseTimes, leaseTimesFault } from './lease-times.ts'

const times = (leaseDuration: number, renewDeadline: number, retryPeriod: number) => ({
  leaseDurationMs: leaseDuration * 1_000,
  renewDeadlineMs: renewDeadline * 1_000,
  retryPeriodMs: retryPeriod * 1_000,
})

test.for([
  { it: "kube-scheduler's", given: times(15, 10, 2) },
  { it: 'short times', given: times(1, 0.5, 0.1) },
  { it: 'a retry period just short enough', given: times(15, 10, 8.3) },
])('these times of an election are right: $it', ({ given }) => {
  expect(leaseTimesFault(given)).toBeUndefined()
})

test.for([
  { it: 'a lease that ends before its leader gives up', given: times(5, 10, 2), field: 'leaseDuration' },
  { it: 'a lease that ends as its leader gives up', given: times(10, 10, 2), field: 'leaseDuration' },
  { it: 'half a second, which a Lease cannot express', given: times(2.5, 2, 0.5), field: 'leaseDuration' },
  { it: 'a deadline that allows no second attempt', given: times(15, 10, 8.4), field: 'renewDeadline' },
  { it: 'no deadline', given: times(15, 0, 2), field: 'renewDeadline' },
  { it: 'no pause', given: times(15, 10, 0), field: 'retryPeriod' },
  { it: 'not a number', given: times(15, 10, Number.NaN), field: 'retryPeriod' },
  { it: 'an endless lease', given: times(Infinity, 10, 2), field: 'leaseDuration' },
])('these are refused: $it', ({ given, field }) => {
  expect(leaseTimesFault(given)).toMatchObject({ field })
})

test('the error names the lease, the time and the rule', () => {
  expect(() => checkLeaseTimes('kube-system/berth', times(5, 10, 2))).toThrow(
    expect.objectContaining({
      code: 'BERTH_LEASE_TIMES',
      message:
        'compete for lease kube-system/berth: leaseDuration must be longer than renewDeadline (10 s), and is 5 s',
    }),
  )
})
