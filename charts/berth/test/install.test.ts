import { systemClock } from '@berth/clock'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import { eventually, kubectlBinary, notesCommands, ProcessGroup } from '@berth/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Container, Rule } from './chart-object.ts'
import { chartDir, helm, helmOnChart, type HelmResult } from './render.ts'

/** A request in the audit log of the API server. */
interface Asked {
  readonly verb: string
  readonly user: { readonly username?: string }
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly apiGroup?: string }
  readonly responseStatus: { readonly code?: number; readonly message?: string }
}

const namespace = 'berth-system'
const apps = ['advertiser', 'authority', 'extender', 'scheduler'] as const
type App = (typeof apps)[number]
/** Permissions that this test need not exercise: for a conflict, a repeated event, or a second read of a pod. */
const seldomUsed: Readonly<Record<App, readonly string[]>> = {
  advertiser: ['/nodes get'],
  // It renews nothing here, and no authority rolls over. The end-to-end tests measure both.
  authority: ['/pods list', '/secrets update'],
  extender: [],
  // The pods of this test have no volumes and no pod groups, and the embedded cluster does not serve pod groups.
  scheduler: [
    '/pods get',
    'events.k8s.io/events patch',
    '/persistentvolumes patch',
    '/persistentvolumeclaims patch',
    'scheduling.k8s.io/podgroups get',
    'scheduling.k8s.io/podgroups list',
    'scheduling.k8s.io/podgroups watch',
    'scheduling.k8s.io/podgroups/status patch',
  ],
}

const group = new ProcessGroup()
const asked: Asked[] = []
let cluster: EmbeddedCluster
let dir = ''
let kubeconfig = ''

const call = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
  const answer = await callJson(cluster.handle, method, path, body === undefined ? {} : { body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
  eventually(look, { what, timeoutMs: 90_000, signal: group.lost })

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-chart-install-'))
  kubeconfig = join(dir, 'kubeconfig')
  cluster = await startEmbeddedCluster({
    nodes: 2,
    schedulesPods: true,
    clock: systemClock(),
    random: Math.random,
    kubelet: { statusSyncMs: 100 },
    api: { rbac: true, audit: { level: 'Metadata', sink: (event) => void asked.push(event) } },
  })
  await writeFile(kubeconfig, cluster.served?.kubeconfig() ?? '')
})
afterAll(async () => {
  await group[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

/** Runs a command of the notes in a shell with the real programs. */
async function run(command: string): Promise<HelmResult> {
  const kubectl = await kubectlBinary()
  const env = { KUBECONFIG: kubeconfig, PATH: process.env['PATH'] ?? '', HOME: dir }
  return await new Promise((resolve) => {
    execFile('sh', ['-c', command.replace(/^kubectl/, kubectl)], { env, timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })
}

/** Starts an app on this machine as its pod would: with its flags, its files and the token of its ServiceAccount. */
async function start(app: App): Promise<void> {
  const home = join(dir, app)
  await mkdir(join(home, 'tls'), { recursive: true })
  const { data } = (await call('GET', `/api/v1/namespaces/${namespace}/configmaps/berth-${app}`)) as {
    readonly data: Readonly<Record<string, string>>
  }
  for (const [name, text] of Object.entries(data)) await writeFile(join(home, name), text)
  const deployment = (await call('GET', `/apis/apps/v1/namespaces/${namespace}/deployments/berth-${app}`)) as {
    readonly spec: {
      readonly template: {
        readonly spec: { readonly containers: readonly Container[]; readonly serviceAccountName: string }
      }
    }
  }
  const { containers, serviceAccountName } = deployment.spec.template.spec
  if (app === 'extender') {
    const path = `/api/v1/namespaces/${namespace}/secrets/berth-authority-server`
    const secret = await until('the authority to issue a certificate', async () => {
      const { status, body } = await callJson(cluster.handle, 'GET', path)
      return status === 404 ? undefined : (body as { readonly data: Readonly<Record<string, string>> })
    })
    for (const [name, text] of Object.entries(secret.data))
      await writeFile(join(home, 'tls', name), Buffer.from(text, 'base64'))
  }
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccountName}/token`
  const { status } = (await call('POST', account, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  })) as {
    readonly status: { readonly token: string }
  }
  const admin = JSON.parse(cluster.served?.kubeconfig() ?? '') as {
    readonly users: readonly { readonly name: string }[]
  }
  const users = admin.users.map(({ name }) => ({ name, user: { token: status.token } }))
  await writeFile(join(home, 'kubeconfig'), JSON.stringify({ ...admin, users }))
  const container = containers.find(({ name }) => name === app)
  const args = (container?.args ?? []).map((arg) =>
    arg.replace('/etc/berth-tls/', `${home}/tls/`).replace('/etc/berth/', `${home}/`).replace(':8888', ':0'),
  )
  const main = join(chartDir, '../../apps', app, 'src/main.ts')
  const program = group.start({
    name: app,
    args: [
      '-C',
      '@berth/source',
      main,
      ...args,
      '--kubeconfig',
      join(home, 'kubeconfig'),
      '--health-address=127.0.0.1:0',
    ],
    logPath: join(dir, `${app}.log`),
  })
  const [, address = ''] = await program.line(/"address":"([^"]+)"[^\n]*"Serving health"/, { timeoutMs: 90_000 })
  await until(`${app} to be ready`, async () => ((await fetch(`http://${address}/readyz`)).ok ? true : undefined))
}

const usedBy = (app: App): readonly Asked[] =>
  asked.filter(({ user }) => user.username === `system:serviceaccount:${namespace}:berth-${app}`)
const rightOf = ({ verb, objectRef = {} }: Asked): string => {
  const { apiGroup = '', resource = '', subresource } = objectRef
  return `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`} ${verb}`
}

describe('installed in the embedded cluster with RBAC', () => {
  test('all workloads become ready, and the commands of the notes work unchanged', async () => {
    const flags = ['--create-namespace', '--wait', '--timeout=180s', '--kubeconfig', kubeconfig]
    const installed = await helmOnChart(['install', 'berth'], { profile: 'demo', flags })
    expect([installed.code, installed.stderr]).toEqual([0, ''])
    const policies = (await call('GET', `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`)) as {
      readonly items: readonly { readonly metadata: { readonly name: string }; readonly spec: object }[]
    }
    expect(policies.items.map(({ metadata }) => metadata.name)).toEqual(
      ['advertiser', 'authority', 'device-plugin', 'extender', 'scheduler'].map((app) => `berth-${app}`),
    )
    for (const { metadata, spec } of policies.items) {
      const policyTypes = metadata.name === 'berth-device-plugin' ? ['Ingress', 'Egress'] : ['Ingress']
      expect(spec).toMatchObject({ policyTypes })
    }
    const { stdout } = await helm(['get', 'notes', 'berth', '--namespace', namespace, '--kubeconfig', kubeconfig])
    const commands = notesCommands(stdout)
    expect(commands.length).toBeGreaterThan(6)
    // The simulated kubelets do not run images, so a test pod would never end.
    for (const command of commands.filter((words) => !words.startsWith('helm'))) {
      expect([command, await run(command)]).toEqual([
        command,
        { code: 0, stdout: expect.any(String), stderr: expect.any(String) },
      ])
    }
  }, 600_000)

  test('each app works with the token of its ServiceAccount: no request is forbidden and no permission is unused', async () => {
    for (const app of apps) await start(app)
    const pods = `/api/v1/namespaces/${namespace}/pods`
    await until('seats on both nodes', async () => {
      const { items } = (await call('GET', '/api/v1/nodes')) as {
        readonly items: readonly { readonly status: { readonly capacity: Readonly<Record<string, string>> } }[]
      }
      return items.every(({ status }) => status.capacity['example.com/seat'] === '2') ? true : undefined
    })
    await call('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'urgent' },
      value: 1000,
    })
    const resources = { limits: { 'example.com/seat': '2' } }
    const pod = async (name: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> => {
      const spec = {
        schedulerName: 'berth-scheduler',
        containers: [{ name: 'main', image: 'pause', resources }],
        ...more,
      }
      await call('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec })
      await until(`${name} to be placed`, async () => {
        const { spec: placed } = (await call('GET', `${pods}/${name}`)) as {
          readonly spec: { readonly nodeName?: string }
        }
        return placed.nodeName
      })
    }
    await pod('low-1', { terminationGracePeriodSeconds: 0 })
    await pod('low-2', { terminationGracePeriodSeconds: 0 })
    await pod('high', { priorityClassName: 'urgent' })
    // Fewer seats than pods use, so that the advertiser looks up the pods that use them.
    const file = join(dir, 'advertiser', 'config.yaml')
    await writeFile(file, 'resources: [{name: example.com/seat, units: 1, nodes: {selector: {}}}]\n')
    await until('the advertiser to look at pods', async () =>
      usedBy('advertiser').find((one) => rightOf(one) === '/pods list'),
    )

    for (const app of apps) {
      const rbac = '/apis/rbac.authorization.k8s.io/v1'
      const ownRole =
        app === 'authority'
          ? `${rbac}/namespaces/${namespace}/roles/berth-authority`
          : `${rbac}/clusterroles/${namespace}:berth-${app}`
      const role = (await call('GET', ownRole)) as { readonly rules: readonly Rule[] }
      const rights = role.rules.flatMap(({ apiGroups, resources: names, verbs }) =>
        names.flatMap((name) => verbs.map((verb) => ({ name: `${apiGroups[0]}/${name}`, verb }))),
      )
      expect(rights.map(({ name, verb }) => `${name} ${verb}`)).toEqual(expect.arrayContaining([...seldomUsed[app]]))
      // Events, for example, are written some time after the action that they report.
      const areAllUsed = (): void => {
        const used = new Set(usedBy(app).map(rightOf))
        // The server and the size of the collection decide which of the two is used.
        const isRead = (name: string): boolean => used.has(`${name} list`) || used.has(`${name} watch`)
        const idle = rights
          .filter(({ name, verb }) => !(['list', 'watch'].includes(verb) && isRead(name)))
          .map(({ name, verb }) => `${name} ${verb}`)
          .filter((right) => !used.has(right) && !seldomUsed[app].includes(right))
        expect([app, idle]).toEqual([app, []])
      }
      await vi.waitFor(areAllUsed, { timeout: 60_000 })
      const refused = usedBy(app).filter(({ responseStatus }) => responseStatus.code === 403)
      expect([app, refused.map((one) => `${rightOf(one)}: ${one.responseStatus.message}`)]).toEqual([app, []])
    }
  }, 600_000)

  test('the policy refuses to let the token of the advertiser write or record an undeclared resource', async () => {
    const tokenFile = join(dir, 'advertiser', 'kubeconfig')
    const patch = (name: string) =>
      run(
        `kubectl --kubeconfig ${tokenFile} patch node node-1 --subresource=status --type=merge --patch '{"status":{"capacity":{"${name}":"1"}}}'`,
      )
    // The real kubectl first reads the subresource, which this token may not do, so the test sends the patch itself.
    expect((await patch('example.com/other')).stderr).toContain('cannot get resource "nodes/status"')
    const { users } = JSON.parse(await readFile(tokenFile, 'utf8')) as {
      readonly users: readonly { readonly user: { readonly token: string } }[]
    }
    const sent = async (node: unknown) => {
      const headers = { authorization: `Bearer ${users[0]?.user.token ?? ''}` }
      const options = { body: node, contentType: 'application/merge-patch+json', headers }
      const path = '/api/v1/nodes/node-1/status?fieldManager=berth-advertiser'
      const { status, body } = await callJson(cluster.handle, 'PATCH', path, options)
      return [status, (body as { readonly message?: string }).message]
    }
    const written = (capacity: Readonly<Record<string, string>>) => sent({ status: { capacity } })
    expect(await written({ 'example.com/seat': '1' })).toEqual([200, undefined])
    expect(await written({ 'example.com/other': '1' })).toEqual([
      expect.any(Number),
      expect.stringContaining(
        'the advertiser may add to capacity, or change in it, only resources that its configuration declares',
      ),
    ])
    expect(await written({ cpu: '99' })).toEqual([expect.any(Number), expect.stringContaining('only resources that')])
    const recorded = (record: string) => sent({ metadata: { annotations: { 'berth.dev/advertised': record } } })
    expect(await recorded('{"example.com/seat":"2","example.com/other":"1"}')).toEqual([
      expect.any(Number),
      expect.stringContaining('the advertiser may record in berth.dev/advertised only resources that'),
    ])
    expect(await recorded('{"example.com/seat":"2"}')).toEqual([200, undefined])
  })

  test('leaves nothing in its namespace after an uninstall', async () => {
    await group[Symbol.asyncDispose]()
    const gone = await helm([
      'uninstall',
      'berth',
      '--no-hooks',
      '--wait',
      '--namespace',
      namespace,
      '--kubeconfig',
      kubeconfig,
    ])
    expect([gone.code, gone.stderr]).toEqual([0, ''])
    const kinds =
      'deployments,daemonsets,configmaps,secrets,serviceaccounts,roles,rolebindings,poddisruptionbudgets,jobs'
    const left = await run(`kubectl --namespace ${namespace} get ${kinds} --output name`)
    expect(left.stdout.trim().split('\n').toSorted()).toEqual(['configmap/kube-root-ca.crt', 'serviceaccount/default'])
    const wide = await run('kubectl get clusterroles,clusterrolebindings,validatingadmissionpolicies --output name')
    expect(wide.stdout).not.toContain('berth')
  }, 300_000)
})
