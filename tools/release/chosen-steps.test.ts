import { expect, test } from 'vitest'
import { chosenSteps } from './chosen-steps.ts'
import { krewStep } from './krew/krew-step.ts'
import type { ReleaseStep } from './step.ts'

function step(name: string, reads?: readonly string[]): ReleaseStep {
  return { name, summary: '', build: async () => [], check: async () => [], ...(reads && { reads }) }
}

const steps = [step('a'), step('b', ['a']), step('c', ['b']), step('d')]

test.for([
  { names: [], chosen: ['a', 'b', 'c', 'd'] },
  { names: ['d'], chosen: ['d'] },
  { names: ['d', 'c'], chosen: ['a', 'b', 'c', 'd'] },
  { names: ['b'], chosen: ['a', 'b'] },
])('the steps $names need $chosen', ({ names, chosen }) => {
  expect(chosenSteps(steps, names).map(({ name }) => name)).toEqual(chosen)
})

test('krew alone builds the archives that its manifests name', () => {
  expect(chosenSteps([step('executables'), krewStep], ['krew']).map(({ name }) => name)).toEqual([
    'executables',
    'krew',
  ])
})
