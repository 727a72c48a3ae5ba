import { resourceRefs, type Cluster, type ResourceRef } from '@berth/k8s-client'
import {
  eventually,
  extendedResourceDefinition,
  kubectlBinary,
  type OwnedProcess,
  ProcessGroup,
  specSamples,
} from '@berth/testing'
import type { ExtendedResource, KubernetesObject, Node } from '@berth/types'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly, withHeaders } from '../../cluster/connect-with-kubeconfig.ts'
import { installChartObjects } from '../../real-api-server/install-chart-objects.ts'
import { toStoredObject } from '../../real-api-server/large-cluster.ts'
import { startRealApiServer, type RealApiServer } from '../../real-api-server/real-api-server.ts'

const root = join(import.meta.dirname, '../../..')
const NAMESPACE = 'berth-system'
const DONGLE = 'lab.example.com/dongle'
const clusterWide = (group: string, version: string, plural: string, kind: string): ResourceRef => ({
  group,
  version,
  plural,
  kind,
  namespaced: false,
})
const definitions = clusterWide('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition')
const objects = clusterWide('berth.dev', 'v1alpha1', 'extendedresources', 'ExtendedResource')

describe('ExtendedResource objects on a real kube-apiserver', () => {
  const parts = new AsyncDisposableStack()
  let server: RealApiServer
  let cluster: Cluster

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { KUBECONFIG: join(server.dir, 'admin.kubeconfig'), HOME: server.dir }
    return (await promisify(execFile)(await kubectlBinary(), args, { env })).stdout
  }
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: 60_000, signal: new AbortController().signal })

  beforeAll(async () => {
    server = parts.use(await startRealApiServer())
    writeFileSync(join(server.dir, 'admin.kubeconfig'), server.kubeconfig(), { mode: 0o600 })
    cluster = parts.use(connectQuietly({ access: server.access() }))
    // The server refuses a definition whose estimated CEL cost is above its limit.
    await cluster.client.create(definitions, extendedResourceDefinition())
    await until('the definition to be served', async () =>
      (await cluster.servedResources('berth.dev/v1alpha1')).has('extendedresources') ? true : undefined,
    )
  })
  afterAll(() => parts.disposeAsync())

  test.for(specSamples.map((sample, index) => ({ ...sample, index })))(
    'the API server agrees with the samples on $it',
    async ({ spec, refusal, index }) => {
      const object = { metadata: { name: `sample-${index}` }, spec } as unknown as ExtendedResource
      const answer = await cluster.client.create<ExtendedResource>(objects, object).then(() => 'accepted', String)
      expect(answer).toContain(refusal ?? 'accepted')
    },
  )

  test('the name of the resource cannot be changed', async () => {
    const change = { spec: { resourceName: 'example.com/other' } }
    const patched = cluster.client.patch(objects, { name: 'sample-0' }, change, { type: 'merge' })
    await expect(patched).rejects.toThrow('resourceName cannot be changed')
  })

  test('kubectl prints the columns, and explains every field', async () => {
    expect((await kubectl('get', 'xres', 'sample-0')).split('\n')[0]?.split(/\s+/)).toEqual([
      'NAME',
      'RESOURCE',
      'UNITS',
      'SOURCE',
      'NODES',
      'OFFERING',
      'ADVERTISED',
      'REASON',
      'AGE',
    ])
    const explained = await kubectl('explain', 'extendedresources.spec.precedence')
    expect(explained.replaceAll(/\s+/g, ' ')).toContain('the one with the highest precedence applies')
    const all = await kubectl('explain', 'extendedresources', '--recursive')
    for (const field of [
      'resourceName',
      'maxAgeSeconds',
      'matchExpressions',
      'nodesAdvertised',
      'lastTransitionTime',
    ]) {
      expect(all).toContain(field)
    }
  })
})

describe('the advertiser with objects, as the chart installs it, on a real kube-apiserver', () => {
  const parts = new AsyncDisposableStack()
  const group = new ProcessGroup()
  let server: RealApiServer
  let admin: Cluster
  let team: Cluster
  let advertiser: OwnedProcess

  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: 60_000, signal: group.lost })
  const kubectl = async (args: readonly string[], user: 'admin' | 'team' = 'admin'): Promise<string> => {
    const impersonation = user === 'team' ? ['--as', 'ann', '--as-group', 'team-a'] : []
    const env = { KUBECONFIG: join(server.dir, 'admin.kubeconfig'), HOME: server.dir }
    const { stdout } = await promisify(execFile)(await kubectlBinary(), [...args, ...impersonation], { env })
    return stdout
  }
  const connect = (headers: Readonly<Record<string, string>>): Cluster => {
    return parts.use(connectQuietly({ access: withHeaders(server.access(), headers) }))
  }
  const declare = (cluster: Cluster, name: string, spec: object): Promise<unknown> =>
    cluster.client.create(objects, {
      metadata: { name },
      spec: { resourceName: DONGLE, units: 4, nodes: { selector: { matchLabels: { team: 'a' } } }, ...spec },
    } as KubernetesObject)
  const offered = async (node: string, name = DONGLE): Promise<unknown> =>
    (await admin.client.get<Node>(resourceRefs.nodes, { name: node })).status?.capacity?.[name]
  const find = (name: string) => admin.client.find<ExtendedResource>(objects, { name })
  const reasonOf = async (name: string): Promise<string | undefined> =>
    (await find(name))?.status?.conditions?.find(({ type }) => type === 'Advertised')?.reason
  const untilReason = (name: string, reason: string): Promise<true> =>
    until(`${name} to be ${reason}`, async () => ((await reasonOf(name)) === reason ? true : undefined))

  beforeAll(async () => {
    server = parts.use(await startRealApiServer())
    writeFileSync(join(server.dir, 'admin.kubeconfig'), server.kubeconfig(), { mode: 0o600 })
    await server.seed(
      ['node-a', 'node-b'].map((name): readonly [string, unknown] => {
        const amounts = { cpu: '4', memory: '8Gi', pods: '100' }
        const labels = { 'kubernetes.io/hostname': name, ...(name === 'node-a' && { team: 'a' }) }
        const stored: Node = { metadata: { name, labels }, status: { capacity: amounts, allocatable: amounts } }
        return [`minions/${name}`, toStoredObject('Node', stored)]
      }),
    )
    admin = connect({})
    team = connect({ 'impersonate-user': 'ann', 'impersonate-group': 'team-a' })
    const teams = [{ group: 'team-a', resource: 'lab.example.com/*', nodes: 'team=a' }]
    const resources = [{ name: 'example.com/seat', units: 2, nodes: { selector: {} } }]
    const own = { config: { watchObjects: true, resources }, policy: { domains: ['lab.example.com'], teams } }
    const profile = 'advertiser-only'
    const installed = await installChartObjects(server, admin.client, { profile, values: { advertiser: own } })
    writeFileSync(join(server.dir, 'config.yaml'), installed.data('berth-advertiser')['config.yaml'] ?? '')
    const identity = await installed.identityOf('berth-advertiser')
    writeFileSync(join(server.dir, 'advertiser.kubeconfig'), server.kubeconfig(identity), { mode: 0o600 })
    await until('the definition to be served', async () =>
      (await admin.servedResources('berth.dev/v1alpha1')).has('extendedresources') ? true : undefined,
    )
    await kubectl(['create', 'clusterrole', 'declares', '--verb=*', '--resource=extendedresources.berth.dev'])
    await kubectl(['create', 'clusterrolebinding', 'declares', '--clusterrole=declares', '--group=team-a'])
    await until('the policies to be in force', async () => {
      const probe = declare(team, 'probe', { resourceName: 'example.com/fpga' })
      const answer = await probe.then(() => 'accepted', String)
      if (answer === 'accepted') await admin.client.delete(objects, { name: 'probe' })
      return answer.includes('may not declare') ? true : undefined
    })
    advertiser = group.start({
      name: 'advertiser',
      logPath: join(server.dir, 'advertiser.log'),
      args: [
        '-C',
        '@berth/source',
        join(root, 'apps/advertiser/src/main.ts'),
        '--config',
        join(server.dir, 'config.yaml'),
        '--kubeconfig',
        join(server.dir, 'advertiser.kubeconfig'),
        '--health-address',
        '127.0.0.1:0',
      ],
    })
    await until('the file to be advertised', async () =>
      (await offered('node-b', 'example.com/seat')) === '2' ? true : undefined,
    )
  })
  afterAll(async () => {
    await group[Symbol.asyncDispose]()
    await parts.disposeAsync()
  })

  test('a team declares its resource on its nodes, and kubectl shows what became of it', async () => {
    await declare(team, 'dongles', {})
    await untilReason('dongles', 'AllNodes')
    expect([await offered('node-a'), await offered('node-b')]).toEqual(['4', undefined])
    const [, row = ''] = (await kubectl(['get', 'xres', 'dongles'])).split('\n')
    expect(row.split(/\s+/).slice(0, 6)).toEqual(['dongles', DONGLE, '4', '1', '1', 'True'])
  })

  test.for([
    { it: 'on the nodes of others', spec: { nodes: { selector: {} } } },
    { it: 'by the name of a node', spec: { nodes: { names: ['node-b'] } } },
    { it: 'of another domain', spec: { resourceName: 'example.com/fpga' } },
  ])('a team may not declare a resource $it', async ({ spec }) => {
    await expect(declare(team, 'refused', spec)).rejects.toMatchObject({ status: 403 })
    expect(await find('refused')).toBeUndefined()
  })

  test('a team may not write or delete the objects of others, nor the list of names', async () => {
    await declare(admin, 'everywhere', { resourceName: 'lab.example.com/other', nodes: { selector: {} } })
    await untilReason('everywhere', 'AllNodes')
    const change = { metadata: { annotations: { 'berth.dev/advertised-by': null } } }
    await expect(team.client.patch(objects, { name: 'everywhere' }, change, { type: 'merge' })).rejects.toThrow(
      'may not declare',
    )
    await expect(team.client.delete(objects, { name: 'everywhere' })).rejects.toThrow('may not declare')
    const names = { namespace: NAMESPACE, name: 'berth-advertiser-names' }
    const list = { data: { names: 'example.com/fpga' } }
    await expect(team.client.patch(resourceRefs.configMaps, names, list, { type: 'merge' })).rejects.toMatchObject({
      status: 403,
    })
  })

  test('the advertiser may write neither the list of names, nor a spec, nor a name that is not on the list', async () => {
    const berth = connect({ 'impersonate-user': `system:serviceaccount:${NAMESPACE}:berth-advertiser` })
    const names = { namespace: NAMESPACE, name: 'berth-advertiser-names' }
    const list = { data: { names: 'example.com/fpga' } }
    await expect(berth.client.patch(resourceRefs.configMaps, names, list, { type: 'merge' })).rejects.toMatchObject({
      status: 403,
    })
    const spec = { spec: { units: 9 } }
    await expect(berth.client.patch(objects, { name: 'dongles' }, spec, { type: 'merge' })).rejects.toThrow(
      'may change only its own finalizer and its own annotation',
    )
    const capacity = { 'example.com/fpga': '1' }
    const write = berth.client.patchNodeStatus('node-a', { status: { capacity } }, { fieldManager: 'berth-advertiser' })
    await expect(write).rejects.toThrow('only resources that its configuration declares')
  })

  test('the advertiser of another release may claim and release objects, and not change their spec', async () => {
    const other = connect({ 'impersonate-user': 'system:serviceaccount:other:berth-advertiser' })
    const rights = [
      '--verb=get,list,patch',
      '--resource=extendedresources.berth.dev,extendedresources.berth.dev/status',
    ]
    await kubectl(['create', 'clusterrole', 'other-advertiser', ...rights])
    const subject = '--serviceaccount=other:berth-advertiser'
    await kubectl(['create', 'clusterrolebinding', 'other-advertiser', '--clusterrole=other-advertiser', subject])
    const claim = { metadata: { finalizers: ['berth.dev/withdraw'] } }
    await until('its rights to be in force', async () =>
      other.client.patch(objects, { name: 'dongles' }, claim, { type: 'merge' }).then(
        () => true as const,
        () => undefined,
      ),
    )
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'gone', uid: 'gone' }
    for (const change of [
      { spec: { units: 9 } },
      { metadata: { ownerReferences: [owner] } },
      { metadata: { labels: { team: 'b' } } },
      { metadata: { finalizers: ['berth.dev/withdraw', 'example.com/keep'] } },
    ]) {
      await expect(other.client.patch(objects, { name: 'dongles' }, change, { type: 'merge' })).rejects.toThrow(
        'may not declare',
      )
    }
  })

  test('an administrator allows a new name without an upgrade, and takes it back', async () => {
    const name = 'example.com/fpga'
    await declare(admin, 'fpgas', { resourceName: name })
    await untilReason('fpgas', 'NotAllowed')
    expect(await offered('node-a', name)).toBeUndefined()
    const set = (names: string) =>
      admin.client.patch(
        resourceRefs.configMaps,
        { namespace: NAMESPACE, name: 'berth-advertiser-names' },
        { data: { names } },
        { type: 'merge' },
      )
    await set(name)
    await untilReason('fpgas', 'AllNodes')
    expect(await offered('node-a', name)).toBe('4')
    await set('')
    await untilReason('fpgas', 'NotAllowed')
    expect(await offered('node-a', name)).toBeUndefined()
  })

  test('an object may not run code, and says so', async () => {
    await declare(admin, 'code', { units: undefined, source: { plugin: 'command', args: { program: 'id' } } })
    await untilReason('code', 'NotAllowed')
    expect((await find('code'))?.status?.conditions?.[0]?.message).toContain('objects may use only the sources')
    await admin.client.delete(objects, { name: 'code' })
  })

  test('a deleted object disappears with its resource', async () => {
    await team.client.delete(objects, { name: 'dongles' })
    await until('the object to be gone', async () => ((await find('dongles')) === undefined ? true : undefined))
    expect(await offered('node-a')).toBeUndefined()
  })

  test('a source that ships with the advertiser reads the label of a node, and follows it', async () => {
    const name = 'lab.example.com/slot'
    const label = (text: string) =>
      admin.client.patch(
        resourceRefs.nodes,
        { name: 'node-a' },
        { metadata: { labels: { slots: text } } },
        { type: 'merge' },
      )
    await label('7')
    const source = { plugin: 'node-label', args: { label: 'slots' }, everySeconds: 1, max: 8 }
    await declare(team, 'slots', { resourceName: name, units: undefined, source })
    await untilReason('slots', 'AllNodes')
    expect(await offered('node-a', name)).toBe('7')
    await label('9')
    await until('the maximum', async () => ((await offered('node-a', name)) === '8' ? true : undefined))
  })

  test('the advertiser had every permission that it needed', () => {
    expect(advertiser.output()).toContain('Reconciling nodes')
    expect(advertiser.output()).not.toContain('Could not write an ExtendedResource')
    expect(advertiser.output()).not.toContain('is forbidden')
  })

  test('prune, as the uninstall runs it, withdraws everything and releases the objects', async () => {
    await advertiser.stop()
    const command = async (...flags: readonly string[]): Promise<string> => {
      const program = ['-C', '@berth/source', join(root, 'apps/advertiser/src/main.ts'), 'prune', ...flags]
      const own = ['--owner', `${NAMESPACE}/berth-advertiser`, '--kubeconfig', join(server.dir, 'admin.kubeconfig')]
      return await promisify(execFile)(process.execPath, [...program, ...own]).then(
        ({ stdout, stderr }) => stdout + stderr,
        (error: { readonly stderr: string }) => error.stderr,
      )
    }
    expect(await command('--dry-run', '--refuse-objects')).toContain('BERTH_ADVERTISER_OBJECTS_EXIST')
    expect((await find('slots'))?.metadata.finalizers).toHaveLength(1)
    await command('--force', '--watch-objects')
    const left = (await admin.client.list<ExtendedResource>(objects)).items
    expect(new Set(left.map(({ metadata }) => metadata.name))).toEqual(new Set(['everywhere', 'fpgas', 'slots']))
    for (const { metadata, status } of left) expect([metadata.finalizers, status]).toEqual([undefined, undefined])
    const { metadata, status } = await admin.client.get<Node>(resourceRefs.nodes, { name: 'node-a' })
    expect([metadata.annotations, Object.keys(status?.capacity ?? {}).toSorted()]).toEqual([
      undefined,
      ['cpu', 'memory', 'pods'],
    ])
  })
})
