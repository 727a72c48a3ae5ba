import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RaceResult } from '../run-race.ts'
import { medianRace, writeCurves } from './write-curves.ts'

function race(eventUsPerPod: number): RaceResult {
  const at = new Map([['pod-0', 10]])
  return {
    usPerPod: 1,
    eventUsPerPod,
    cpuUsPerPod: 2,
    serverCpuUsPerPod: 3,
    observerCpuUsPerPod: 6,
    eventLagMs: 4,
    firstBindMs: 5,
    startMs: 10,
    times: { created: at, bound: at, event: at },
  }
}

test.for([
  { it: 'the middle one', races: [9, 1, 5], median: 5 },
  { it: 'the faster of the middle two', races: [9, 1, 5, 3], median: 3 },
])('medianRace returns $it', ({ races, median }) => {
  expect(medianRace(races.map(race)).eventUsPerPod).toBe(median)
})

test('writeCurves writes a picture, and all races as JSON', () => {
  const dir = mkdtempSync(join(tmpdir(), 'curves-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeCurves(join(dir, 'new'), {
    name: 'shared-1k',
    title: 'shared',
    values: ['eventPerSecond'],
    results: { berth: [race(1), race(2)], 'kube-scheduler': [race(4)] },
  })
  const { case: title, races } = JSON.parse(readFileSync(join(dir, 'new', 'shared-1k.json'), 'utf8')) as {
    readonly case: string
    readonly races: readonly unknown[]
  }
  expect(title).toBe('shared')
  expect(races).toMatchObject([
    { scheduler: 'berth', eventPerSecond: 1_000_000, eventLagMs: 4, curves: { bound: [[0, 1]] } },
    { scheduler: 'berth', eventPerSecond: 500_000 },
    { scheduler: 'kube-scheduler', eventPerSecond: 250_000 },
  ])
  expect(readFileSync(join(dir, 'new', 'shared-1k.svg'), 'utf8')).toMatch(/^<svg /)
})
