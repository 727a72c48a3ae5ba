import { expect, test } from 'vitest'
import { valueKeys } from './value-keys.ts'

test('valueKeys lists an object before its keys, with defaults at the leaves, and stops at configurations and objects of Kubernetes', () => {
  const schema = {
    properties: {
      app: {
        description: 'An app.',
        properties: {
          config: { description: 'Its file.', properties: { inner: { description: 'Not ours.' } } },
          resources: { description: 'Requests.', properties: { limits: {} } },
          on: { description: 'Whether.' },
        },
      },
      more: {},
    },
  }
  expect(valueKeys(schema, { app: { config: { inner: 1 }, resources: { limits: {} }, on: false } })).toEqual([
    { path: 'app', fallback: '', description: 'An app.' },
    { path: 'app.config', fallback: '{"inner":1}', description: 'Its file.' },
    { path: 'app.resources', fallback: '{"limits":{}}', description: 'Requests.' },
    { path: 'app.on', fallback: 'false', description: 'Whether.' },
    { path: 'more', fallback: '', description: '' },
  ])
})
