import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SeedResult } from '../run-seed.ts'
import { type LostSeeds, runSeeds, type RunSeedsOptions } from './run-seeds.ts'
import { createRunSummary } from './run-summary.ts'

/** Runs seeds and returns the results in the order of the seeds. */
async function run(
  options: Partial<RunSeedsOptions> & Pick<RunSeedsOptions, 'from' | 'seeds'>,
): Promise<{ readonly results: readonly SeedResult[]; readonly lost: readonly LostSeeds[] }> {
  const results: SeedResult[] = []
  const lost: LostSeeds[] = []
  await runSeeds({
    stopsAtFailure: false,
    ...options,
    onResult(result) {
      results.push(result)
      options.onResult?.(result)
    },
    onLost: (each) => void lost.push(each),
  })
  return { results: results.toSorted((a, b) => a.seed - b.seed), lost }
}

/** Writes a program that calls `body(seed, send)` for each of its seeds. Returns its path. */
function programOf(body: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'seeds-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'program.mjs')
  writeFileSync(
    path,
    `const [from, seeds] = process.argv.slice(2).map(Number)
     const send = (fields) => new Promise((resolve) => process.send({ problems: [], faults: [], counts: {}, ...fields }, resolve))
     for (let seed = from; seed < from + seeds; seed++) { ${body} }
     process.disconnect()`,
  )
  return path
}

test('two jobs get the same results as one', async () => {
  const range = { from: 1, seeds: 4 }
  const one = await run({ ...range, jobs: 1 })
  const two = await run({ ...range, jobs: 2 })
  expect(one.results.map(({ seed }) => seed)).toEqual([1, 2, 3, 4])
  expect(two).toEqual(one)
  const [first, second] = [one, two].map(({ results }) => {
    const summary = createRunSummary()
    for (const result of results) summary.add(result)
    return summary.text()
  })
  expect(second).toBe(first)
})

test('reports the seeds of a process that dies, and runs the others', async () => {
  const program = programOf(`if (seed === 27) process.kill(process.pid, 'SIGKILL')
    if (seed === 50) process.exit(3)
    await send({ seed })`)
  const { results, lost } = await run({ from: 1, seeds: 60, jobs: 2, program })
  expect(lost.toSorted((a, b) => a.from - b.from)).toEqual([
    { from: 27, seeds: 14, status: 'SIGKILL' },
    { from: 50, seeds: 11, status: 'exit status 3' },
  ])
  const seeds = Array.from({ length: 60 }, (_, i) => i + 1)
  expect(results.map(({ seed }) => seed)).toEqual(seeds.filter((seed) => seed < 27 || (seed > 40 && seed < 50)))
})

test('keeps the results until the run is interrupted', async () => {
  const program = programOf(`if (seed === 3) setInterval(() => {}, 1_000)
    if (seed === 3) await new Promise(() => {})
    await send({ seed })`)
  const stop = new AbortController()
  const { results, lost } = await run({
    from: 1,
    seeds: 40,
    program,
    signal: stop.signal,
    onResult: ({ seed }) => void (seed === 2 && stop.abort()),
  })
  expect(results.map(({ seed }) => seed)).toEqual([1, 2])
  expect(lost).toEqual([])
})

test('stops every job at the first failure', async () => {
  const program = programOf(`if (seed > 20) { setInterval(() => {}, 1_000); await new Promise(() => {}) }
    await send({ seed, problems: seed === 2 ? ['I1: shared'] : [] })`)
  const { results, lost } = await run({ from: 1, seeds: 40, jobs: 2, program, stopsAtFailure: true })
  expect(results.map(({ seed }) => seed)).toEqual([1, 2])
  expect(lost).toEqual([])
})
