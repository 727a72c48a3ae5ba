import { createFramework, explain } from '@berth/fit-engine'
import { StatusCode } from '@berth/types'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { profileOf, type SchedulingQuestion, stateOf } from './question.ts'
import { readVectors } from './read-vectors.ts'
import { fixedInput } from './scheduling-answer.ts'

const fixtures = ['volumes.jsonl.gz', 'random-volumes.jsonl.gz', 'random-everything.jsonl.gz'].map((name) =>
  join(import.meta.dirname, 'fixtures', name),
)
/** Reasons that name the claim, or that are about an object which cannot be read. */
const complete = /persistentvolumeclaim "|is being deleted|was not created for pod|had no |VolumeBindingMode not set/

test('explains the volumes of every node that VolumeBinding or VolumeZone rejects in the vectors, and of no other', () => {
  const counts = { explained: 0, accepted: 0 }
  for (const { id, input } of fixtures.flatMap((path) => readVectors(path))) {
    const question = input as SchedulingQuestion
    const state = stateOf(question)
    const plugins = profileOf({ nodes: [], pod: question.pod }).filter(({ plugin }) =>
      ['VolumeBinding', 'VolumeZone'].includes(plugin.name),
    )
    const { nodes } = explain(createFramework({ plugins }), state, question.pod, fixedInput)
    for (const { node, filters, volumes } of nodes) {
      const rejections = filters.filter(({ code }) => code !== StatusCode.Success && code !== StatusCode.Error)
      if (filters.some(({ code }) => code === StatusCode.Error)) continue
      const reasons = rejections.flatMap((each) => each.reasons)
      if (reasons.some((reason) => complete.test(reason))) continue
      const isExplained = volumes.length > 0
      expect({ id, node, reasons, isExplained }).toEqual({ id, node, reasons, isExplained: rejections.length > 0 })
      counts[isExplained ? 'explained' : 'accepted'] += 1
    }
  }
  expect(counts.explained).toBeGreaterThan(300)
  expect(counts.accepted).toBeGreaterThan(300)
})
