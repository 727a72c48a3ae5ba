import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lanes, lanesToRun } from './lanes.ts'

const files = [
  'any/everything.test.ts',
  'nodes/device-plugin.test.ts',
  'slow/release.test.ts',
  'api-server/client.test.ts',
]

const namesOf = (excluded: readonly string[], ...filters: readonly string[]) =>
  lanesToRun(files, { excluded, filters }).map(({ name }) => name)

describe('lanesToRun', () => {
  test('returns every lane without filters', () => {
    expect(namesOf([])).toEqual(['cluster', 'api-server'])
  })

  test.for([
    ['device-plugin', ['cluster']],
    ['api-server/client', ['api-server']],
    ['scenarios/any', ['cluster']],
    ['cli', ['api-server']],
    ['.test.ts', ['cluster', 'api-server']],
    ['unknown', []],
  ] as const)('returns the lanes with a file whose path contains %s', ([filter, expected]) => {
    expect(namesOf([], filter)).toEqual(expected)
  })

  test('returns no lane of which every matching folder is excluded', () => {
    expect(namesOf(['slow', 'api-server'])).toEqual(['cluster'])
    expect(namesOf(['slow'], 'release')).toEqual([])
  })
})

test('each folder of scenarios is in one lane', () => {
  const folders = readdirSync(join(import.meta.dirname, '..', 'scenarios'))
  expect(lanes.flatMap((lane) => lane.folders).toSorted()).toEqual(folders.toSorted())
})
