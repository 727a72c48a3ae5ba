import { seededRandom } from '@berth/clock/testing'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CoverageCounters } from '../instrumentation/coverage-counters.ts'
import { fuzzLoop, type FuzzResult } from '../loop/fuzz-loop.ts'
import { runJob } from '../supervisor/run-job.ts'
import { loadTarget } from '../target/load-target.ts'

const planted = (name: string): string => join(import.meta.dirname, 'planted', `${name}.fuzz.ts`)

const HANG_MS = 5_000
/** Far above the time in which a process uses up its memory, on a busy machine as well. */
const NEVER_MS = 150_000
/** Never reached unless the fuzzer does not find a bug. */
const LIMIT_MS = 120_000

/** Enough to load the target on a busy machine and to run a few inputs. */
const SOUND_MS = 6_000

/** Runs a planted target until it has a finding, or for `runMs`. */
const fuzz = (name: string, runMs: number, hangMs = NEVER_MS): Promise<FuzzResult> =>
  runJob({ file: planted(name), seed: 1, runMs, maxFindings: 1 }, { hangMs, heapMiB: 64 })

const textOf = ({ findings }: FuzzResult): string => Buffer.from(findings[0]?.input ?? []).toString()

describe('the fuzzer finds a planted bug', () => {
  test.for([
    { bug: 'endless', reason: /did not return within 5000 ms/, input: /\(/, hangMs: HANG_MS },
    { bug: 'greedy', reason: /needs more than 64 MiB/, input: /^x\d\d/ },
    { bug: 'polluting', reason: /a built-in prototype was polluted with /, input: /__proto__/ },
    { bug: 'lossy', reason: /breaks the contract: AssertionError/, input: /0$/ },
    { bug: 'uncoded', reason: /untyped error: RangeError: a hash/, input: /^#$/ },
  ])('$bug: $reason', async ({ bug, reason, input, hangMs }) => {
    const result = await fuzz(bug, LIMIT_MS, hangMs)
    expect(result.findings.map((finding) => finding.reason)).toEqual([expect.stringMatching(reason) as string])
    expect(textOf(result)).toMatch(input)
  })

  test('behind four conditions, one after the other, and makes the input as short as it can', async () => {
    const result = await fuzz('nested', LIMIT_MS)
    expect(result.findings[0]?.reason).toMatch(/untyped error: TypeError/)
    expect(textOf(result)).toBe('bE!~')
  })
})

test('without coverage the bug behind four conditions stays hidden', async () => {
  const blind: CoverageCounters = {
    reset: () => undefined,
    takeNews: () => ({ counters: 0, magnitudes: 0 }),
    covered: () => 0,
    total: () => 0,
  }
  let executions = 0
  const { findings } = await fuzzLoop(await loadTarget(planted('nested')), {
    seeds: [],
    random: seededRandom(1),
    counters: blind,
    literals: () => ['b', 'E', '!', '~'],
    isStopped: () => executions > 20_000,
    maxFindings: 1,
    onInput: () => void (executions += 1),
  })
  expect(findings).toEqual([])
})

test('a sound parser has no finding, and its run ends', async () => {
  const { findings, executions, refused } = await fuzz('sound', SOUND_MS)
  expect([findings, refused]).toEqual([[], 0])
  expect(executions).toBeGreaterThan(10)
})
