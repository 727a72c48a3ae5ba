import { seededRandom } from '@berth/clock/testing'
import { expect, test } from 'vitest'
import { growthProblems, judgeLife, type LifeVerdict, type ProcessLife, type ProcessSample } from './judge-growth.ts'

const MIB = 1_048_576
const HOUR_MS = 3_600_000
const MIN_LIFE_MS = HOUR_MS

/** Returns the samples of three hours, one every ten seconds, as a function of the hours since the start gives them. */
function lifeOf(read: (hours: number) => Partial<ProcessSample>, hours = 3): ProcessLife {
  const samples = Array.from({ length: hours * 360 }, (_, i) => {
    const steady = { rssBytes: 80 * MIB, heapBytes: 20 * MIB, handles: 30 }
    return { atMs: 1_000_000 + i * 10_000, ...steady, ...read(i / 360) }
  })
  return { name: 'app', samples }
}

function problemsOf(...lives: readonly ProcessLife[]): readonly string[] {
  const verdicts = lives.map((life) => judgeLife(life, MIN_LIFE_MS)).filter((each) => each !== undefined)
  return growthProblems(verdicts satisfies readonly LifeVerdict[], ['app'])
}

test('a process whose memory and handles vary without growing passes', () => {
  const random = seededRandom(1)
  const steady = lifeOf(() => ({
    rssBytes: (80 + 30 * random()) * MIB,
    heapBytes: (20 + 15 * random()) * MIB,
    handles: 30 + Math.floor(20 * random()),
  }))
  expect(problemsOf(steady)).toEqual([])
})

test('a process that grows only while it warms up passes', () => {
  expect(problemsOf(lifeOf((hours) => ({ rssBytes: (80 + 200 * Math.min(hours, 1.4)) * MIB })))).toEqual([])
})

test.for<{ it: string; read: (hours: number) => Partial<ProcessSample>; says: RegExp }>([
  {
    it: 'resident memory',
    read: (hours) => ({ rssBytes: (80 + 10 * hours) * MIB }),
    says: /^app: rssBytes grew by 10.0 MiB per hour and 15.0 MiB in all; the bounds are 8.0 MiB and 12.0 MiB$/,
  },
  {
    it: 'the heap below the saw teeth of the garbage collector',
    read: (hours) => ({ heapBytes: (20 + 6 * hours + 40 * ((hours * 60) % 1)) * MIB }),
    says: /^app: heapBytes grew by [5-7]\.\d MiB per hour/,
  },
  {
    it: 'handles',
    read: (hours) => ({ handles: 30 + Math.floor(10 * hours) }),
    says: /^app: handles grew by (?:9|10)\.\d per hour/,
  },
])('a planted leak of $it is found', ({ read, says }) => {
  expect(problemsOf(lifeOf(read))).toEqual([expect.stringMatching(says)])
})

test('a process of less than an hour may grow more while it warms up, but not without end', () => {
  const growingBy = (mibInAll: number): ProcessLife => {
    const samples = lifeOf((hours) => ({ rssBytes: (80 + mibInAll * 20 * hours) * MIB })).samples.slice(0, 18)
    return { name: 'app', samples }
  }
  const judge = (life: ProcessLife): readonly string[] =>
    growthProblems(
      [judgeLife(life, 60_000)].filter((each) => each !== undefined),
      ['app'],
    )
  expect(judge(growingBy(60))).toEqual([])
  expect(judge(growingBy(300))).toEqual([expect.stringMatching(/the bounds are 8.0 MiB and 64.0 MiB$/)])
})

test('a process that shrinks passes', () => {
  expect(problemsOf(lifeOf((hours) => ({ rssBytes: (80 - 20 * hours) * MIB })))).toEqual([])
})

test('each process of an app that restarts is judged by itself', () => {
  const restarts = [80, 120, 160].map((base) => lifeOf(() => ({ rssBytes: base * MIB })))
  expect(problemsOf(...restarts)).toEqual([])
  const leaking = lifeOf((hours) => ({ handles: 30 + 20 * hours }))
  expect(problemsOf(...restarts, leaking)).toHaveLength(1)
})

test('an app of which no process lived long enough fails the run', () => {
  const short = Array.from({ length: 10 }, () => lifeOf(() => ({}), 0.5))
  expect(problemsOf(...short)).toEqual(['app: no process lived long enough to be judged; run longer'])
  expect(problemsOf({ name: 'app', samples: [] })).toHaveLength(1)
})

test('samples of a stopped process, which serves no metrics, count for memory and handles', () => {
  const read = (hours: number): Partial<ProcessSample> => ({
    heapBytes: undefined,
    rssBytes: (80 + 10 * hours) * MIB,
  })
  const verdict = judgeLife(lifeOf(read), MIN_LIFE_MS)
  expect(verdict?.growths?.map(({ quantity }) => quantity)).toEqual(['rssBytes', 'handles'])
  expect(problemsOf(lifeOf(read))).toHaveLength(1)
})
