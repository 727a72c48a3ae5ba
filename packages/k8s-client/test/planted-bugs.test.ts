import { expect, test, vi } from 'vitest'
import { createFaultCounts, type FaultCounts } from './faults/fault-counts.ts'
import { plantedHandlers } from './faults/planted-handlers.ts'
import { runBindSeed } from './faults/run-bind-seed.ts'
import { runReflectorSeed } from './faults/run-reflector-seed.ts'

type Run = (seed: number, counts: FaultCounts) => Promise<readonly string[]>

const planted = vi.hoisted(() => ({ bug: '' }))

vi.mock(import('../src/reflector/next-attempt.ts'), async (original) => {
  const actual = await original()
  const isPlanted = (): boolean => planted.bug === 'no relist on 410'
  return {
    ...actual,
    mayHaveMissedChanges: (silence) => planted.bug !== 'trusted silence' && actual.mayHaveMissedChanges(silence),
    isVersionUnavailable: (error) => !isPlanted() && actual.isVersionUnavailable(error),
    nextAfterError: (error, context) =>
      isPlanted() && actual.isVersionUnavailable(error)
        ? { next: 'watch', reason: 'broken', pauses: true }
        : actual.nextAfterError(error, context),
  }
})
vi.mock(import('../src/reflector/read/compare-versions.ts'), async (original) => {
  const actual = await original()
  return {
    compareVersions: (a, b) => (planted.bug === 'accepted past events' ? 'newer' : actual.compareVersions(a, b)),
  }
})
vi.mock(import('@berth/clock'), async (original) => {
  const actual = await original()
  return {
    ...actual,
    createBackoff: (options) =>
      actual.createBackoff(
        planted.bug === 'slow to reconnect'
          ? { ...options, maxMs: 60_000 }
          : planted.bug === 'hot loop'
            ? { ...options, initialMs: 50, maxMs: 50 }
            : options,
      ),
  }
})

const {
  'Retry-After ignored': ignoring,
  'dropped bookmark': dropping,
  'skipped garbage frames': skipping,
  'no uid precondition': blind,
  'failures hidden from the client': hiding,
} = plantedHandlers

const table: readonly (readonly [bug: string, run: Run, problem: RegExp])[] = [
  ['no relist on 410', runReflectorSeed, /differs from a fresh list/],
  ['accepted past events', runReflectorSeed, /went back in time|differs from a fresh list/],
  ['Retry-After ignored', (seed, counts) => runReflectorSeed(seed, counts, ignoring), /before Retry-After/],
  ['Retry-After ignored in calls', (seed, counts) => runBindSeed(seed, counts, ignoring), /before Retry-After/],
  ['dropped bookmark', (seed, counts) => runReflectorSeed(seed, counts, dropping), /quiet watch read everything/],
  ['skipped garbage frames', (seed, counts) => runReflectorSeed(seed, counts, skipping), /differs from a fresh list/],
  ['trusted silence', runReflectorSeed, /says nothing, for good: not right again/],
  ['slow to reconnect', runReflectorSeed, /server gone for 60 s: not right again/],
  ['hot loop', runReflectorSeed, /server gone for 60 s: \d+ requests/],
  ['no uid precondition', (seed, counts) => runBindSeed(seed, counts, blind), /another pod of the same name/],
  [
    'failures hidden from a mirror',
    (seed, counts) => runReflectorSeed(seed, counts, hiding),
    /never met 500|met 500 .*as/,
  ],
  ['failures hidden from calls', (seed, counts) => runBindSeed(seed, counts, hiding), /never met 500|met 500 .*as/],
]

test.for(table)('the seeded faults catch a client with this bug: %s', async ([bug, run, problem]) => {
  planted.bug = bug
  const found: string[] = []
  let seeds = 0
  while (!found.some((text) => problem.test(text)) && seeds < 100)
    found.push(...(await run(++seeds, createFaultCounts())))
  planted.bug = ''
  process.stdout.write(`${bug}: caught after ${seeds} seeds\n`)
  expect(found.join('\n')).toMatch(problem)
})
