import { systemClock } from '@berth/clock'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectCluster, loadKubeconfig, type ResourceRef, resourceRefs } from '@berth/k8s-client'
import { startProgram } from '@berth/process/testing'
import { createApiServer, serveApiServer } from '@berth/simulator'
import { type KubernetesObject, type Node, type Pod, silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const main = new URL('../src/main.ts', import.meta.url).pathname
const roles = parse(
  readFileSync(new URL('kube-scheduler-config/cluster-roles.yaml', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly object[]>>

const rbac = (plural: string, kind: string): ResourceRef => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
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

test("runs with the flags of kubeadm's manifest and only the rights of kube-scheduler", async () => {
  const world = { clock: systemClock(), random: Math.random, log: silentLogger }
  await using api = await serveApiServer(createApiServer({ ...world, rbac: true }))
  const dir = mkdtempSync(join(tmpdir(), 'berth-drop-in-'))
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text, { mode: 0o600 })
    return join(dir, name)
  }
  const access = loadKubeconfig({ path: file('admin.conf', api.kubeconfig()), env: {}, home: dir })
  await using admin = connectCluster({ access, ...world, qps: 0, userAgent: 'test' })
  const units = { cpu: '4', memory: '8Gi', pods: '10' }
  const status = { capacity: units, allocatable: units }
  await admin.client.create<Node>(resourceRefs.nodes, { metadata: { name: 'node-a' }, spec: {} })
  await admin.client.patch(resourceRefs.nodes, { name: 'node-a' }, { status }, { type: 'merge', subresource: 'status' })
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
  try {
    expect(await running.line('Serving health')).toMatchObject({ address: `127.0.0.1:${port}`, tls: true })
    const pod: Pod = {
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'busybox' }] },
    }
    await admin.client.create(resourceRefs.pods, pod)
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
  } finally {
    running.child.kill('SIGTERM')
  }
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  rmSync(dir, { recursive: true })
})
