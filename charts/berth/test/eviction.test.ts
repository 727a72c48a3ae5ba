import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { componentOf, find, podTemplates } from './chart-object.ts'
import { refusal, render } from './render.ts'

const dongles = { resources: [{ name: 'example.com/dongle', source: 'count', args: { count: 4 } }] }

describe('eviction', () => {
  test('is off by default', async () => {
    const objects = await render({ profile: 'full' })
    expect(objects.filter((object) => componentOf(object) === 'eviction')).toEqual([])
  })

  test('is its own Deployment with its own ServiceAccount and Lease', async () => {
    const config = { resources: ['example.com/fpga', 'example.com/dongle'], afterSeconds: 60, dryRun: true }
    const values = { eviction: { enabled: true, config }, devicePlugin: { config: dongles } }
    const objects = await render({ profile: 'full', values })
    const own = objects.filter((object) => componentOf(object) === 'eviction')
    expect(own.map(({ kind }) => kind).toSorted()).toEqual([
      'ClusterRole',
      'ClusterRoleBinding',
      'ConfigMap',
      'Deployment',
      'NetworkPolicy',
      'Role',
      'RoleBinding',
      'ServiceAccount',
    ])
    const file = find(own, 'ConfigMap', 'berth-eviction').data?.['config.yaml'] ?? ''
    expect(parse(file)).toEqual({
      eviction: {
        lease: 'berth-system/berth-eviction',
        resources: ['example.com/fpga', 'example.com/dongle'],
        afterSeconds: 60,
        dryRun: true,
      },
    })
    const [pod] = podTemplates(own)
    expect(pod?.spec).toMatchObject({
      serviceAccountName: 'berth-eviction',
      containers: [
        { command: ['node', '/app/advertiser/main.js'], args: ['evict', '--config=/etc/berth/config.yaml'] },
      ],
    })
  })

  test('takes the resources of the device plugin, only if that is installed', async () => {
    const eviction = { enabled: true, config: { resources: ['example.com/fpga'] } }
    const resourcesWith = async (devicePlugin: object): Promise<unknown> => {
      const objects = await render({ values: { eviction, devicePlugin: { config: dongles, ...devicePlugin } } })
      const text = find(objects, 'ConfigMap', 'berth-eviction').data?.['config.yaml'] ?? ''
      return (parse(text) as { eviction: { resources: unknown } }).eviction.resources
    }
    expect(await resourcesWith({})).toEqual(['example.com/fpga', 'example.com/dongle'])
    expect(await resourcesWith({ enabled: false })).toEqual(['example.com/fpga'])
  })

  test('is refused without resources, and with a limit that is not a whole number of seconds', async () => {
    const values = { eviction: { enabled: true } }
    expect(await refusal({ profile: 'full', values })).toContain('no resource is served or named')
    const config = { resources: ['example.com/fpga'], afterSeconds: 0.5 }
    expect(await refusal({ values: { eviction: { enabled: true, config } } })).toContain('afterSeconds')
  })
})
