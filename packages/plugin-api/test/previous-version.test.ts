import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = fileURLToPath(new URL('run-previous-version.ts', import.meta.url))

// The programs run the same files: see the process tests of the apps.
test('loads and runs plugins of each kind that were built for the previous version of the contract', async () => {
  const { stdout } = await promisify(execFile)('node', ['-C', '@berth/source', program])
  expect(JSON.parse(stdout)).toEqual({
    warned: ['example-rack', 'example-annotation', 'example-seat-file'].toSorted(),
    units: '5',
    devices: ['Healthy', 'Healthy'],
    env: { SEATS: 'line 1,line 2' },
    reasons: ['app=web already runs there as web-1'],
  })
})
