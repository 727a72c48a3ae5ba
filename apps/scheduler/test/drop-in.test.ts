import { systemClock } from '@berth/clock'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectCluster, loadKubeconfig, type ResourceRef, resourceRefs } from '@berth/k8s-client'
import { type RunningProgram, startProgram } from '@berth/process/testing'
import { podGroupDefinition } from '@berth/testing'
import { createApiServer, serveApiServer } from '@berth/simulator'
import { type KubernetesObject, type Node, type Pod, silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const main = new URL('../src/main.ts', import.meta.url).pathname
const roles = parse(
  readFileSync(new URL('kube-scheduler-config/cluster-roles.yaml', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly object[]>>

const rbac = (plural: string, kind: string, namespaced = false): ResourceRef => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const serviceAccounts: ResourceRef = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
}

type Admin = ReturnType<typeof connectCluster>

/** Creates a ServiceAccount that has the ClusterRoles of these rules, and returns a token for it. */
async function createAccount(
  { client }: Admin,
  api: { readonly url: string; readonly token: string; readonly ca: string },
  { name, rules }: { readonly name: string; readonly rules: Readonly<Record<string, readonly object[]>> },
): Promise<string> {
  await client.create<KubernetesObject>(serviceAccounts, { metadata: { name, namespace: 'kube-system' } })
  for (const [role, roleRules] of Object.entries(rules)) {
    const subjects = [{ kind: 'ServiceAccount', name, namespace: 'kube-system' }]
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role }
    const clusterRole = { metadata: { name: role }, rules: roleRules }
    const binding = { metadata: { name: role }, roleRef, subjects }
    await client.create<KubernetesObject>(rbac('clusterroles', 'ClusterRole'), clusterRole)
    await client.create<KubernetesObject>(rbac('clusterrolebindings', 'ClusterRoleBinding'), binding)
  }
  const { body } = await get(`${api.url}/api/v1/namespaces/kube-system/serviceaccounts/${name}/token`, {
    token: api.token,
    ca: api.ca,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  })
  return (JSON.parse(body) as { readonly status: { readonly token: string } }).status.token
}

/**
 * Gives an account the Role that Kubernetes binds to the user system:kube-scheduler, besides the ClusterRoles. A scheduler without
 * it accepts no client certificates on its secure port.
 *
 * @see kubernetes/kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy/namespace_policy.go (v1.36.3)
 */
async function bindAuthenticationReader({ client }: Admin, account: string): Promise<void> {
  const name = 'extension-apiserver-authentication-reader'
  const metadata = { name, namespace: 'kube-system' }
  const verbs = ['get', 'list', 'watch']
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['extension-apiserver-authentication'], verbs },
  ]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: 'kube-system' }]
  const binding = { metadata, roleRef, subjects }
  await client.create<KubernetesObject>(rbac('roles', 'Role', true), { metadata, rules } as KubernetesObject)
  await client.create<KubernetesObject>(rbac('rolebindings', 'RoleBinding', true), binding)
}

/** Makes one HTTPS request: a POST if there is a body. Without a CA the certificate is not verified. */
function get(
  url: string,
  { token, ca, body }: { readonly token?: string; readonly ca?: string; readonly body?: object } = {},
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.once('end', () => resolve({ status: response.statusCode, body: text }))
      },
    )
    sent.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

interface AuditedRequest {
  readonly verb: string
  readonly user: { readonly username?: string }
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly apiGroup?: string }
  readonly responseStatus: { readonly code?: number }
  readonly requestReceivedTimestamp: string
}

const actionOf = ({ verb, objectRef: { apiGroup, resource, subresource } = {} }: AuditedRequest): string =>
  `${verb} ${[apiGroup, resource, subresource].filter((part) => part !== undefined && part !== '').join('/')}`

/** Berth as kube-scheduler, with the rights of kube-scheduler only. */
interface DropIn extends AsyncDisposable {
  readonly admin: Admin
  readonly running: RunningProgram
  readonly port: number
  /** Token of an account that may read `/metrics`. */
  readonly monitor: string
  /** Requests of the scheduler. */
  readonly requests: () => readonly AuditedRequest[]
}

/** Starts the scheduler with the flags of kubeadm's manifest, on an API server with one node. */
async function startDropIn(prepare: (admin: Admin) => Promise<unknown> = () => Promise.resolve()): Promise<DropIn> {
  await using stack = new AsyncDisposableStack()
  const world = { clock: systemClock(), random: Math.random, log: silentLogger }
  const audited: AuditedRequest[] = []
  const sink = (event: object): void => void audited.push(event as AuditedRequest)
  const server = createApiServer({ ...world, rbac: true, audit: { level: 'Metadata', sink } })
  const api = stack.use(await serveApiServer(server))
  const dir = mkdtempSync(join(tmpdir(), 'berth-drop-in-'))
  stack.defer(() => rmSync(dir, { recursive: true }))
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text, { mode: 0o600 })
    return join(dir, name)
  }
  const access = loadKubeconfig({ path: file('admin.conf', api.kubeconfig()), env: {}, home: dir })
  const admin = stack.use(connectCluster({ access, ...world, qps: 0, userAgent: 'test' }))
  const units = { cpu: '4', memory: '8Gi', pods: '10' }
  const status = { capacity: units, allocatable: units }
  await admin.client.create<Node>(resourceRefs.nodes, { metadata: { name: 'node-a' }, spec: {} })
  await admin.client.patch(resourceRefs.nodes, { name: 'node-a' }, { status }, { type: 'merge', subresource: 'status' })
  await prepare(admin)
  const token = await createAccount(admin, api, { name: 'scheduler', rules: roles })
  const monitor = await createAccount(admin, api, {
    name: 'monitor',
    rules: { monitor: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] },
  })

  const kubeconfig = file('scheduler.conf', api.kubeconfig(token))
  const port = await freePort()
  const program = file('kube-scheduler', `import ${JSON.stringify(main)}\n`)
  const running = startProgram(program, [
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=true',
    '--feature-gates=KubeletInUserNamespace=true',
    '--profiling=false',
    '-v=4',
    // The default is 10259, which may be in use on the machine of the test.
    `--secure-port=${port}`,
  ])
  stack.defer(async () => {
    running.child.kill('SIGTERM')
    await running.ended
  })
  const started = stack.move()
  return {
    admin,
    running,
    port,
    monitor,
    requests: () => audited.filter(({ user }) => user.username === 'system:serviceaccount:kube-system:scheduler'),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

const createPod = async (
  { client }: Admin,
  name: string,
  more: Partial<Pod> & Partial<Pod['spec']> = {},
): Promise<void> => {
  const { metadata, ...spec } = more
  await client.create<Pod>(resourceRefs.pods, {
    metadata: { ...metadata, name, namespace: 'default' },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'busybox' }], ...spec },
  })
}

test("runs with the flags of kubeadm's manifest and only the rights of kube-scheduler", async () => {
  await using dropIn = await startDropIn((client) => bindAuthenticationReader(client, 'scheduler'))
  const { admin, running, port, monitor } = dropIn
  expect(await running.line('Serving health')).toMatchObject({ address: `127.0.0.1:${port}`, tls: true })
  const containers = [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '3' } } }]
  await createPod(admin, 'web', { containers })
  expect(await running.line('Pod bound')).toMatchObject({ pod: 'default/web', node: 'node-a' })
  const lease = await admin.client.get(resourceRefs.leases, { namespace: 'kube-system', name: 'kube-scheduler' })
  expect(lease).toMatchObject({ spec: { holderIdentity: expect.stringMatching(/.+/) as string } })

  const server = `https://127.0.0.1:${port}`
  for (const path of ['/livez', '/readyz', '/healthz']) {
    expect(await get(`${server}${path}`)).toEqual({ status: 200, body: 'ok' })
  }
  expect(await get(`${server}/metrics`)).toMatchObject({ status: 403 })
  expect(await get(`${server}/metrics`, { token: 'wrong' })).toMatchObject({ status: 401 })
  expect(await get(`${server}/metrics`, { token: monitor })).toMatchObject({ status: 200 })
  expect(await get(`${server}/configz`, { token: monitor })).toMatchObject({ status: 403 })

  await admin.client.create<KubernetesObject>(
    { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses', kind: 'PriorityClass', namespaced: false },
    { metadata: { name: 'urgent' }, value: 1_000 } as KubernetesObject,
  )
  await createPod(admin, 'urgent', { containers, priorityClassName: 'urgent' })
  const find = (name: string): Promise<Pod | undefined> =>
    admin.client.find<Pod>(resourceRefs.pods, { namespace: 'default', name })
  await expect.poll(async () => (await find('urgent'))?.spec.nodeName, { timeout: 20_000 }).toBe('node-a')
  expect(await find('web')).toBeUndefined()
  const actions = (): readonly string[] => dropIn.requests().map(actionOf)
  for (const action of [
    'create events.k8s.io/events',
    'create pods/binding',
    'delete pods',
    'patch pods/status',
    'create authentication.k8s.io/tokenreviews',
    'create authorization.k8s.io/subjectaccessreviews',
  ]) {
    await expect.poll(actions, { timeout: 20_000 }).toContain(action)
  }
  const refused = dropIn.requests().filter(({ responseStatus }) => responseStatus.code === 403)
  expect(refused.map(actionOf)).toEqual([])
  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
})

test("without rights for scheduler-plugins' PodGroup, only the pods that name a group wait", async () => {
  const definitions = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
  }
  await using dropIn = await startDropIn(({ client }) =>
    client.create<KubernetesObject>(definitions, podGroupDefinition),
  )
  const { admin, running } = dropIn
  const isOfGroups = ({ objectRef }: AuditedRequest): boolean => objectRef?.resource === 'podgroups'
  const refusals = (): readonly AuditedRequest[] => dropIn.requests().filter(isOfGroups)
  await expect.poll(() => refusals().length, { timeout: 20_000 }).toBeGreaterThan(0)
  const labels = { 'scheduling.x-k8s.io/pod-group': 'train' }
  await createPod(admin, 'member', { metadata: { labels } })
  await createPod(admin, 'web')
  expect(await running.line('Pod bound')).toMatchObject({ pod: 'default/web' })
  // A hot loop would show as attempts without a pause between them.
  await expect.poll(() => refusals().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(4)
  const sentAtMs = refusals().map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp))
  const pausesMs = sentAtMs.slice(1).map((atMs, i) => atMs - (sentAtMs[i] ?? 0))
  expect(Math.min(...pausesMs)).toBeGreaterThan(300)
  expect(new Set(refusals().map(({ responseStatus }) => responseStatus.code))).toEqual(new Set([403]))
  const { spec } = await admin.client.get<Pod>(resourceRefs.pods, { namespace: 'default', name: 'member' })
  expect(spec.nodeName).toBeUndefined()
  running.child.kill('SIGTERM')
  const { code, stdout } = await running.ended
  expect(code).toBe(0)
  const lines = stdout.split('\n').filter((line) => line.includes('podgroups') && line.includes('403'))
  expect(lines.length).toBeGreaterThan(0)
})
