import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onlineSteps, onlineStepsText } from './online-steps.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/releasing.md'), 'utf8')
const [, section = ''] = /^## Online steps\n(.*?)^## /ms.exec(page) ?? []

test.for(onlineSteps)('docs/releasing.md describes the online step "$what"', ({ command }) => {
  expect(section).toContain(command)
})

test('a dry run names each online step at its end', () => {
  expect(onlineStepsText().split('\n')).toHaveLength(onlineSteps.length + 1)
})
