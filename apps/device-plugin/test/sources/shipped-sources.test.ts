import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpackedTree } from '@berth/device-discovery/testing'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Discovered, runDevicePlugin } from './device-plugin-command.ts'

const plugins = join(import.meta.dirname, '../../../../plugins')
const tree = (file: string): string => unpackedTree(join(plugins, file))

/** A resource of each source on a fixture of its package, and `id health numaNodes` of its devices. */
const cases = [
  {
    source: 'amd-gpu',
    args: { hostRoot: tree('amd-gpus/test/trees/mi210.tree') },
    devices: ['0000:43:00.0 Healthy', '0000:63:00.0 Healthy 0'],
  },
  {
    source: 'nvidia-gpu',
    args: { hostRoot: tree('nvidia-gpus/test/trees/two-gpus.tree') },
    devices: [
      'GPU-4a1f0e9c-57c3-8d21-0f6b-1c5d2a7e9b30 Healthy 1',
      'GPU-b7e2d3c8-0a94-4f65-9e1d-6f8a3c2b5d41 Healthy 0',
    ],
  },
  {
    source: 'named-slots',
    args: { slots: [{ name: 'alice' }, { name: 'bob', deviceNodes: [{ path: '/dev/null' }] }] },
    devices: ['alice Healthy', 'bob Healthy'],
  },
  {
    source: 'network',
    args: { virtualFunctionsOf: ['ens1f1*'], hostRoot: tree('network-interfaces/test/trees/sriov.tree') },
    devices: ['0000:af:00.6 Healthy 1'],
  },
  {
    source: 'path-groups',
    args: { paths: [{ path: '/dev/null' }, { path: '/dev/ze{key}' }], idPrefix: 'pair' },
    devices: ['pair-ro Healthy'],
  },
  {
    source: 'usb',
    args: {
      devices: [{ vendor: '0403' }],
      nodes: ['tty'],
      hostRoot: tree('usb-devices/test/trees/serial-adapters.tree'),
    },
    devices: ['usb-0403-6001-A50285BI Healthy 1'],
  },
  {
    source: 'pci',
    args: { devices: [{ vendor: '10ee' }], hostRoot: tree('pci-devices/test/trees/fpga-and-gpu.tree') },
    devices: ['0000:b1:00.0 Healthy 1'],
  },
  {
    source: 'sysfs',
    args: { directory: '/sys/class/accel', hostRoot: tree('pci-devices/test/trees/fpga-and-gpu.tree') },
    devices: ['accel-accel0 Healthy 0', 'accel-accel1 Healthy 1'],
  },
]

test('discover prints the devices of every source that the device plugin ships', async () => {
  const resources = cases.map(({ source, args }) => ({ name: `example.com/${source}`, source, args }))
  const found = JSON.parse(await runDevicePlugin('discover', resources)) as Discovered
  const lines = found.resources.map(({ name, devices }) => [
    name,
    devices.map(({ id, health, numaNodes }) => `${id} ${health} ${numaNodes.join(',')}`.trim()),
  ])
  expect(lines).toEqual(cases.map(({ source, devices }) => [`example.com/${source}`, devices]))
})

test('discover offers replicas of what include and exclude select, and says what they leave out', async () => {
  const args = { hostRoot: tree('amd-gpus/test/trees/mi308x-cpx.tree') }
  const shared = {
    name: 'amd.com/shared',
    source: 'amd-gpu',
    args,
    include: ['0000:0a:*'],
    exclude: ['*-p3'],
    replicas: 2,
  }
  const rest = { name: 'amd.com/gpu', source: 'amd-gpu', args, exclude: ['0000:0a:*'] }
  const found = JSON.parse(await runDevicePlugin('discover', [shared, rest])) as Discovered
  expect(found.resources.map(({ devices }) => devices.map(({ id, health }) => `${id} ${health}`))).toEqual([
    ['0', '1', '2'].flatMap((part) => [`0000:0a:00.0-p${part}::0 Healthy`, `0000:0a:00.0-p${part}::1 Healthy`]),
    ['0', '1', '2', '3'].map((part) => `0000:80:00.0-p${part} Healthy`),
  ])
  expect(found.resources[0]?.leftOut).toContainEqual({ id: '0000:0a:00.0-p3', reason: 'exclude has *-p3' })
  expect(found.resources[0]?.leftOut).toHaveLength(5)
})

describe('the examples in the READMEs of the packages', () => {
  const examples = globSync('*/README.md', { cwd: plugins }).flatMap((file) => {
    const blocks = readFileSync(join(plugins, file), 'utf8').matchAll(/^( *)```yaml\n([^]*?)^ *```$/gm)
    return [...blocks].flatMap(([, indent = '', text = ''], i) => {
      const { resources = [] } = parse(text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) as {
        readonly resources?: readonly { readonly source?: unknown }[]
      }
      // The source of a resource of the advertiser is an object.
      return resources.some(({ source }) => typeof source === 'string')
        ? [{ name: `${file}, block ${i + 1}`, resources }]
        : []
    })
  })

  test('name every source', () => {
    const named = new Set(examples.flatMap(({ resources }) => resources.map(({ source }) => source)))
    expect(named).toEqual(new Set(cases.map(({ source }) => source)))
  })

  test.for(examples)('are valid: $name', async ({ resources }) => {
    expect(await runDevicePlugin('validate', resources)).toContain(`valid resources: ${resources.length}`)
  })
})
