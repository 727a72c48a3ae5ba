import { readConfiguration } from '@berth/process/testing'
import { expect, test } from 'vitest'
import { configDefinition } from '../config.ts'
import { rotationSettings } from './rotation-settings.ts'

const settings = (text: string) => rotationSettings(readConfiguration(configDefinition, text))

test.for([
  { text: '{serverSecret: a, clientSecret: a}', says: 'serverSecret and clientSecret name the same Secret a' },
  { text: '{serverSecret: berth-authority-ca}', says: 'authoritySecret and serverSecret name the same Secret' },
  { text: '{authoritySecret: b, clientSecret: b}', says: 'authoritySecret and clientSecret name the same Secret b' },
])('refuses $text, where one certificate would replace another', ({ text, says }) => {
  expect(() => settings(text)).toThrow(says)
})

test('gives the extender and kube-scheduler a Secret each', () => {
  expect(settings('{}').leaves.map(({ secret }) => secret)).toEqual([
    'berth-authority-server',
    'berth-authority-client',
  ])
})
