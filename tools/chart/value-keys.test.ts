import { expect, test } from 'vitest'
import { valueKeys } from './value-keys.ts'

test('valueKeys lists an object before its keys and omits the keys of app configurations and Kubernetes types', () => {
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
    { path: 'app', defaultJson: '', description: 'An app.' },
    { path: 'app.config', defaultJson: '{"inner":1}', description: 'Its file.' },
    { path: 'app.resources', defaultJson: '{"limits":{}}', description: 'Requests.' },
    { path: 'app.on', defaultJson: 'false', description: 'Whether.' },
    { path: 'more', defaultJson: '', description: '' },
  ])
})
