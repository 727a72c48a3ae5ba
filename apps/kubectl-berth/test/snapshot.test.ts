import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { join } from 'node:path'
import { fakeClock, seededRandom } from '@berth/clock/testing'
import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { parseCommandLine } from '@berth/process/command'
import { createApiServer } from '@berth/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readObjectList, writeObjectList } from '../src/snapshot/object-list-file.ts'
import { recordCluster, type Recording } from '../src/snapshot/record-cluster.ts'
import { simulateCommand } from '../src/simulate/simulate-command.ts'
import { startingObjects } from '../src/simulate/starting-objects.ts'
import { testTerminal } from './test-terminal.ts'
import { testCluster, type TestCluster } from './test-cluster.ts'

const secrets = { ...resourceRefs.configMaps, plural: 'secrets', kind: 'Secret' }
const serviceAccounts = { ...resourceRefs.configMaps, plural: 'serviceaccounts', kind: 'ServiceAccount' }

const definitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
const databaseRef = { group: 'example.com', version: 'v1', plural: 'databases', kind: 'Database', namespaced: true }
const databases = {
  metadata: { name: 'databases.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'databases', kind: 'Database' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

let dir = ''

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-snapshot-'))
})
afterAll(() => rm(dir, { recursive: true }))

async function sourceCluster(): Promise<TestCluster> {
  const cluster = testCluster()
  await cluster.addNode('node-a', { 'example.com/dongle': '4' })
  await cluster.addPod('web', { 'example.com/dongle': '3' }, { nodeName: 'node-a' })
  const named = (name: string) => ({ metadata: { name, namespace: 'default' } })
  await cluster.create(secrets, { ...named('s'), stringData: { password: 'hunter2' } } as never)
  const secretRefs = { secrets: [{ name: 'robot-token' }] }
  const annotations = { team: 'a', 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secretRefs) }
  const robot = { metadata: { name: 'robot', namespace: 'default', annotations }, ...secretRefs }
  await cluster.create(serviceAccounts, robot)
  await cluster.create(resourceRefs.configMaps, { ...named('settings'), data: { a: 'b' } } as never)
  await cluster.create(resourceRefs.configMaps, { ...named('kube-root-ca.crt'), data: { 'ca.crt': 'x' } } as never)
  await cluster.create(resourceRefs.leases, { ...named('lock'), spec: {} } as never)
  await cluster.create(definitions, databases)
  await cluster.create(databaseRef, { ...named('db'), spec: { password: 'hunter2', size: 3 } } as never)
  return cluster
}

/** Records the cluster, and returns the methods of all requests, too. */
async function record(cluster: TestCluster): Promise<Recording & { readonly methods: ReadonlySet<string> }> {
  const methods = new Set<string>()
  const { clock } = cluster.terminal
  const client: Pick<ApiClient, 'list' | 'raw'> = {
    list: (ref, options) => {
      methods.add('GET')
      return cluster.client.list(ref, options)
    },
    raw: (request) => {
      methods.add(request.method)
      return cluster.client.raw(request)
    },
  }
  const recording = await recordCluster(client, {
    signal: new AbortController().signal,
    deadline: { clock, ms: 30_000 },
    report: (_doing, work) => work(),
  })
  return { ...recording, methods }
}

describe('recordCluster', () => {
  test('reads typed objects without Secrets, tokens and what ages, and says what it leaves out', async () => {
    const { objects, leftOut, unread, redacted, methods } = await record(await sourceCluster())
    const names = objects.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata?.name}`)
    expect(names).toEqual(
      expect.arrayContaining([
        'v1 Node node-a',
        'v1 Pod web',
        'v1 ConfigMap settings',
        'v1 ServiceAccount robot',
        'v1 Namespace default',
        'scheduling.k8s.io/v1 PriorityClass system-node-critical',
      ]),
    )
    expect(names.filter((name) => /Secret|Lease|kube-root-ca/.test(name))).toEqual([])
    const text = JSON.stringify(objects)
    expect(text).not.toMatch(/hunter2|aHVudGVyMg|robot-token|managedFields/)
    const robot = objects.find(({ metadata }) => metadata?.name === 'robot')
    expect(robot?.metadata?.annotations).toEqual({ team: 'a' })
    expect(leftOut).toEqual(expect.arrayContaining(['secrets', 'events', 'leases.coordination.k8s.io']))
    expect(unread).toEqual([])
    expect(objects).toContainEqual(expect.objectContaining({ spec: { password: 'REDACTED', size: 3 } }))
    expect([...redacted]).toEqual([['Database.example.com', 1]])
    expect([...methods]).toEqual(['GET'])
  })

  test('names the types that this user may not list', async () => {
    const cluster = await sourceCluster()
    cluster.forbid('pods', 'daemonsets')
    const { objects, unread } = await record(cluster)
    expect(unread).toEqual(['pods: forbidden (403)', 'daemonsets.apps: forbidden (403)'])
    expect(objects.map(({ kind }) => kind)).toContain('Node')
  })
})

test('what was read and left out fits into 80 columns', async () => {
  const clock = fakeClock()
  const terminal = testTerminal()
  const server = createApiServer({ clock, random: seededRandom(1) })
  const { line } = parseCommandLine(simulateCommand, ['--from-cluster', 'k'])
  const transport = { handle: server.handle, [Symbol.asyncDispose]: async () => {} }
  const connectTransport = async () => transport as never
  await startingObjects(line, { terminal, stop: new AbortController().signal, connectTransport })
  expect(terminal.notes()).toMatch(/^Read \d+ objects\. Left out: /)
  expect(
    terminal
      .notes()
      .split('\n')
      .filter(({ length }) => length > 80),
  ).toEqual([])
})

describe('a snapshot file', () => {
  test('is readable for its owner only, and holds what whatif and simulate read', async () => {
    const file = join(dir, 'cluster.json')
    await writeFile(file, 'old'.repeat(100_000), { mode: 0o644 })
    const { objects } = await record(await sourceCluster())
    await writeObjectList(file, objects)
    expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
    const text = await readFile(file, 'utf8')
    expect(await readObjectList(testTerminal({ [file]: text }), file)).toEqual(JSON.parse(JSON.stringify(objects)))
    const reader = testCluster({ 'cluster.json': text })
    expect(await reader.run('whatif', '--drain', 'node-a', '--snapshot', 'cluster.json', '-o', 'csv')).toContain('web')
  })

  test.for([
    ['a number', 1],
    ['a list', []],
    ['no type', { metadata: { name: 'a' } }],
    ['no metadata', { apiVersion: 'v1', kind: 'Node', metadata: null }],
    ['no name', { apiVersion: 'v1', kind: 'Node', metadata: {} }],
    ['a path as its name', { apiVersion: 'v1', kind: 'Node', metadata: { name: '../a' } }],
    ['owners that are not a list', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', ownerReferences: 'x' } }],
    ['an owner that is null', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', ownerReferences: [null] } }],
    ['labels that are text', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: 'x' } }],
  ] as const)('is read without an item that has %s, which is named', async ([, item]) => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' }, status: { allocatable: { cpu: '1' } } }
    const reader = testCluster({ 'a.json': JSON.stringify({ items: [item, node] }) })
    await reader.run('whatif', '--drain', 'node-a', '--snapshot', 'a.json')
    expect(reader.terminal.notes()).toContain('not an object with a type and a name: items[0]\n')
  })

  test('has nodes of Kubernetes only: a custom resource of the kind Node is none', async () => {
    const node = (apiVersion: string, rest: object): object => ({
      apiVersion,
      kind: 'Node',
      metadata: { name: 'node-a' },
      ...rest,
    })
    const items = [
      node('v1', { status: { allocatable: { cpu: '8', memory: '8Gi', pods: '10' } } }),
      node('longhorn.io/v1beta2', { spec: { disks: {} } }),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', namespace: 'default', uid: 'u' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '6' } } }] },
      },
    ]
    const reader = testCluster({ 'a.json': JSON.stringify({ items }) })
    const output = await reader.run('whatif', '--add-node', 'node-a', '--snapshot', 'a.json', '-o', 'csv')
    expect(output).toContain('default,web,,true,node-a')
  })

  test('names the pod that whatif cannot read', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } }
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'team' } }
    const reader = testCluster({ 'a.json': JSON.stringify({ items: [node, pod] }) })
    await reader.run('whatif', '--drain', 'node-a', '--snapshot', 'a.json')
    expect(reader.terminal.notes()).toContain('Skipped unreadable objects: pods team/web\n')
  })

  test('is refused as JSON where it ends early, without the YAML parser, which would take minutes', async () => {
    const read = readObjectList(testTerminal({ 'a.json': '\n{"items":[\n{"kind":"Pod"},\n' }), 'a.json')
    const message = expect.stringMatching(/^read the snapshot a\.json: .* JSON/) as unknown
    await expect(read).rejects.toMatchObject({ code: 'BERTH_KUBECTL_FILE', message })
  })

  test('of more than 128 MiB is read item by item', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a', annotations: { note: '}],"' } } }
    const pod = { ...node, kind: 'Pod', metadata: { name: 'é'.repeat(10) } }
    const chunks = [
      `{"kind":"List","items":[${JSON.stringify(node)},`,
      ...Array.from({ length: 129 }, () => Buffer.alloc(2 ** 20, ' ')),
      ...cut(`${JSON.stringify(pod)}],"metadata":{"items":[1]}}`, 7),
    ].map((chunk) => Buffer.from(chunk))
    const read = (count: number) =>
      readObjectList({ readChunks: () => Readable.from(chunks.slice(0, count)), note: () => {} }, 'a.json')
    expect(await read(chunks.length)).toEqual([node, pod])
    await expect(read(chunks.length - 1)).rejects.toThrow('read the snapshot a.json: the list ended early')
  })

  /** Cuts a text into parts of some bytes, which may end within a character. */
  function cut(text: string, bytes: number): readonly Buffer[] {
    const all = Buffer.from(text)
    return Array.from({ length: Math.ceil(all.length / bytes) }, (_, i) => all.subarray(i * bytes, (i + 1) * bytes))
  }

  test('is refused as YAML that is too large to parse, before it is read to its end', async () => {
    const mebibyte = Buffer.alloc(2 ** 20, '# comment\n')
    let chunks = 0
    async function* readChunks(): AsyncGenerator<Uint8Array> {
      for (; chunks < 1_000; chunks++) yield mebibyte
    }
    const message = 'read the snapshot a.yaml: it is YAML of more than 128 MiB; write it as JSON, which may be larger'
    const read = readObjectList({ readChunks, note: () => {} }, 'a.yaml')
    await expect(read).rejects.toMatchObject({ code: 'BERTH_KUBECTL_FILE', message })
    expect(chunks).toBeLessThan(150)
  })

  test('is refused without items', async () => {
    const read = readObjectList(testTerminal({ 'a.yaml': '{}' }), 'a.yaml')
    await expect(read).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_FILE',
      message: 'read the snapshot a.yaml: it has no items',
    })
  })

  test('is not written where the directory does not exist', async () => {
    await expect(writeObjectList(join(dir, 'no', 'file'), [])).rejects.toMatchObject({ code: 'BERTH_KUBECTL_FILE' })
  })
})
