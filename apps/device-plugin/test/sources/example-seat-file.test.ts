import { join } from 'node:path'
import { pluginDirectory } from '@berth/testing'
import { expect, test } from 'vitest'
import { type Discovered, runDevicePlugin } from './device-plugin-command.ts'

const folder = 'examples/plugins/device-source'

test('discover prints the devices of example-seat-file', async () => {
  using plugins = pluginDirectory(folder)
  const file = join(import.meta.dirname, '../../../..', folder, 'test/seats')
  const resource = { name: 'example.com/seat', source: 'example-seat-file', args: { file } }
  const output = await runDevicePlugin('discover', [resource], ['--plugin-dir', plugins.path])
  const { resources } = JSON.parse(output) as Discovered
  expect(resources).toMatchObject([{ name: 'example.com/seat', devices: [{ id: 'alice' }, { id: 'bob' }] }])
})
