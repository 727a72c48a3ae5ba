import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { draObjects, type OfferedResource } from './dra-objects.ts'
import { formatMigration } from './format-migration.ts'

const offered = (units: bigint, resourceName = 'example.com/dongle', nodeName = 'node-a'): OfferedResource => ({
  nodeName,
  resourceName,
  units,
})
const slicesOf = (resources: readonly OfferedResource[]) =>
  draObjects(resources).filter(({ kind }) => kind === 'ResourceSlice')

describe('draObjects', () => {
  test('one class for a resource, and one device for each unit of a node', () => {
    const [deviceClass, ...slices] = draObjects([offered(2n), offered(1n, 'example.com/dongle', 'node-b')])
    expect(deviceClass).toMatchObject({
      kind: 'DeviceClass',
      metadata: { name: 'dongle.example.com' },
      spec: { extendedResourceName: 'example.com/dongle' },
    })
    expect(slices).toMatchObject([
      {
        kind: 'ResourceSlice',
        metadata: { name: 'node-a-dongle.example.com-0' },
        spec: {
          driver: 'example.com',
          nodeName: 'node-a',
          pool: { name: 'node-a/dongle.example.com', generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'unit-0', attributes: { resource: { string: 'dongle' } } }, { name: 'unit-1' }],
        },
      },
      { spec: { nodeName: 'node-b', devices: [{ name: 'unit-0' }] } },
    ])
  })

  test('splits a pool into slices of 128 devices', () => {
    const slices = slicesOf([offered(300n)])
    expect(slices.map(({ spec }) => (spec['devices'] as readonly unknown[]).length)).toEqual([128, 128, 44])
    expect(new Set(slices.map(({ metadata }) => metadata.name)).size).toBe(3)
    expect(slices[0]?.spec['pool']).toMatchObject({ resourceSliceCount: 3 })
  })

  test('a node with 0 units has no slice', () => {
    expect(slicesOf([offered(0n)])).toEqual([])
  })

  test.for([
    { it: 'bytes', resources: [offered(1_073_741_824n)], says: 'more than 1024 devices' },
    { it: 'a long domain', resources: [offered(1n, `${'a'.repeat(62)}.io/x`)], says: 'at most 63 characters' },
    {
      it: 'two names of one class',
      resources: [offered(1n, 'example.com/a_b'), offered(1n, 'example.com/A-b')],
      says: 'would have the same DeviceClass a-b.example.com',
    },
    {
      it: 'two pools of one name',
      resources: [offered(1n, 'example.com/usb-dongle', 'rack'), offered(1n, 'example.com/dongle', 'rack-usb')],
      says: 'example.com/usb-dongle on node rack and example.com/dongle on node rack-usb would have the same ResourceSlice',
    },
  ])('refuses $it', ({ resources, says }) => {
    expect(() => draObjects(resources)).toThrow(
      expect.objectContaining({ code: 'BERTH_ADVERTISER_MIGRATE', message: expect.stringContaining(says) }),
    )
  })
})

test('the text names what it leaves out, in comments', () => {
  const text = formatMigration(draObjects([offered(1n)]), ['example.com/seat on node node-a: it has no amount yet'])
  expect(text).toContain('# Left out: example.com/seat on node node-a: it has no amount yet\n')
  expect(text.split('\n').filter((line) => line === '---')).toHaveLength(2)
})

test('a reason with line feeds stays in its comment', () => {
  const hostile = 'the server answered\n---\nkind: ClusterRoleBinding\r\u2028\u0085kind: Pod\u001b[2J'
  const text = formatMigration(draObjects([offered(1n)]), [hostile])
  expect(text).toContain('# Left out: the server answered --- kind: ClusterRoleBinding kind: Pod\n')
  expect(parseAllDocuments(text)).toHaveLength(2)
})

// kubectl reads YAML 1.1, in which more words are booleans and numbers.
test.for(['on', 'no', 'y', 'null', '0b11', '1e3', '0x1f', '012', '2026-01-01'])(
  'names such as %s stay strings for every reader of YAML',
  (word) => {
    const objects = draObjects([offered(1n, `example.com/${word}`, word)])
    const text = formatMigration(objects, [])
    for (const version of ['1.1', '1.2'] as const) {
      expect(parseAllDocuments(text, { version }).map((document) => document.toJS())).toEqual(objects)
    }
  },
)
