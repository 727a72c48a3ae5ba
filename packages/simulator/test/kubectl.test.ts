import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startKubectlSession, type KubectlSession } from './kubectl-session.ts'

// The manifest of the guide, with unquoted numbers.
const DONGLE = `apiVersion: v1
kind: Pod
metadata:
  name: extended-resource-demo
spec:
  containers:
  - name: extended-resource-demo
    image: nginx:1.7.9
    resources:
      requests:
        example.com/dongle: 3
      limits:
        example.com/dongle: 3
`

const silent = `apiVersion: v1
kind: Pod
metadata:
  name: silent
spec:
  nodeName: node-1
  containers:
  - name: main
    image: nginx:1.7.9
`

let session: KubectlSession

beforeAll(async () => {
  session = await startKubectlSession(3)
})

afterAll(async () => {
  await session[Symbol.asyncDispose]()
})

/** Runs kubectl, expects it to succeed, and returns its output. */
async function kubectl(command: string, stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await session.run(command.split(' '), stdin === undefined ? {} : { stdin })
  expect(stderr).not.toContain('rror')
  expect(code).toBe(0)
  return stdout
}

describe('kubectl 1.35, unmodified', () => {
  test.for([
    { command: 'logs POD', says: 'it has no log' },
    { command: 'exec POD -- ls', says: 'it has no container to run a command in' },
    { command: 'attach POD', says: 'it has no container to attach to' },
    { command: 'port-forward POD 18080:80', says: 'it has no port to forward to' },
  ])('$command says that simulated pods run nothing', async ({ command, says }) => {
    await kubectl('apply -f -', silent)
    await kubectl('wait pod/silent --for=condition=Ready --timeout=30s')
    const { code, stderr } = await session.run(command.replace('POD', 'silent').split(' '))
    expect([code, stderr]).toEqual([1, expect.stringContaining('pod default/silent is simulated and runs nothing')])
    expect(stderr).toContain(says)
  })

  test('a kind that is not served has no matches', async () => {
    const manifest = 'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: a\n'
    const { code, stderr } = await session.run(['apply', '-f', '-'], { stdin: manifest })
    expect([code, stderr]).toEqual([1, expect.stringContaining('no matches for kind "FlowSchema"')])
  })

  test('lists nodes, also with -o wide', async () => {
    const plain = await kubectl('get nodes')
    expect(plain.split('\n')[0]).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION$/)
    expect(plain).toMatch(/^node-1 +Ready +<none> +(?:\d+[ms])+ +v1\.36\.3$/m)
    expect(await kubectl('get nodes -o wide')).toMatch(
      /INTERNAL-IP +EXTERNAL-IP +OS-IMAGE +KERNEL-VERSION +CONTAINER-RUNTIME/,
    )
  })

  test('advertises a resource with a JSON patch of the status, and the kubelet updates allocatable', async () => {
    const patch = '[{"op":"add","path":"/status/capacity/example.com~1dongle","value":"4"}]'
    expect(await kubectl(`patch node node-1 --subresource=status --type=json -p ${patch}`)).toBe(
      'node/node-1 patched\n',
    )
    await kubectl('wait --for=jsonpath={.status.allocatable.example\\.com/dongle}=4 node/node-1 --timeout=60s')
    expect(await kubectl('describe node node-1')).toMatch(
      /Capacity:[^]*example\.com\/dongle: +4[^]*Allocatable:[^]*example\.com\/dongle: +4/,
    )
  })

  test('applies, describes and re-applies the pod of the guide', async () => {
    expect(await kubectl('apply -f -', DONGLE)).toBe('pod/extended-resource-demo created\n')
    const described = await kubectl('describe pod extended-resource-demo')
    expect(described).toMatch(/Limits:\s+example\.com\/dongle: +3\s+Requests:\s+example\.com\/dongle: +3/)
    expect(described).toMatch(/Status: +Pending/)
    expect(await kubectl('get pod extended-resource-demo')).toMatch(
      /^extended-resource-demo +0\/1 +Pending +0 +(?:\d+[ms])+$/m,
    )
    expect(await kubectl('apply -f -', DONGLE.replace('metadata:', 'metadata:\n  labels: {a: b}'))).toBe(
      'pod/extended-resource-demo configured\n',
    )
    expect(await kubectl('get pod extended-resource-demo -o jsonpath={.metadata.labels.a}')).toBe('b')
  })

  test('shows objects as YAML and JSON', async () => {
    expect(await kubectl('get pod extended-resource-demo -o yaml')).toContain('example.com/dongle: "3"')
    const pod = JSON.parse(await kubectl('get pod extended-resource-demo -o json')) as { readonly kind: string }
    expect(pod.kind).toBe('Pod')
  })

  test('applies server-side and reports conflicts', async () => {
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {mode: fast}\n'
    expect(await kubectl('apply --server-side -f -', map)).toBe('configmap/settings serverside-applied\n')
    const refused = await session.run(['apply', '--server-side', '--field-manager=other', '-f', '-'], {
      stdin: map.replace('fast', 'slow'),
    })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .data.mode')
    await kubectl('apply --server-side --force-conflicts --field-manager=other -f -', map.replace('fast', 'slow'))
    expect(await kubectl('get configmap settings -o jsonpath={.data.mode}')).toBe('slow')
  })

  test('migrates client-side to server-side apply, and then removes fields', async () => {
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: moved}\ndata: {mode: fast, level: high}\n'
    await kubectl('apply -f -', map)
    await kubectl('apply --server-side -f -', map)
    expect(await kubectl('apply --server-side -f -', map.replace(', level: high', ''))).toContain('serverside-applied')
    expect(await kubectl('get configmap moved -o jsonpath={.data}')).toBe('{"mode":"fast"}')
  })

  test('reports errors of a manifest', async () => {
    const fraction = await session.run(['apply', '-f', '-'], {
      stdin: DONGLE.replaceAll(': 3', ': 1500m').replace('extended-resource-demo', 'half'),
    })
    expect(fraction.stderr).toContain('The Pod "half" is invalid:')
    expect(fraction.stderr).toContain(
      'spec.containers[0].resources.limits[example.com/dongle]: Invalid value: "1500m": must be an integer',
    )
    const unknown = await session.run(['create', '-f', '-'], { stdin: DONGLE.replace('spec:', 'spec:\n  colour: red') })
    expect(unknown.stderr).toContain('strict decoding error: unknown field "spec.colour"')
  })

  test('runs a bound pod, waits for it and deletes it', async () => {
    const overrides = '{"spec":{"nodeName":"node-2"}}'
    await kubectl(`run web --image=nginx --overrides=${overrides}`)
    expect(await kubectl('wait --for=condition=Ready pod/web --timeout=60s')).toBe('pod/web condition met\n')
    expect(await kubectl('get pod web -o wide')).toMatch(/^web +1\/1 +Running +0 +(?:\d+[ms])+ +[\d.]+ +node-2 /m)
    expect(await kubectl('delete pod web --timeout=60s')).toContain('pod "web" deleted')
    expect((await session.run(['get', 'pod', 'web'])).stderr).toBe(
      'Error from server (NotFound): pods "web" not found\n',
    )
  })

  test('watches', async () => {
    const [added, deleted] = [/ADDED +fresh +1/, /DELETED +fresh +1/]
    const endsOn = (stdout: string): boolean => added.test(stdout) && deleted.test(stdout)
    const watching = session.run(['get', 'configmaps', '-w', '--output-watch-events'], { endsOn })
    const state = { isWatching: true }
    const ended = watching.finally(() => (state.isWatching = false))
    // The watch may take a moment to open. It sees only later changes.
    while (state.isWatching) {
      await kubectl('create configmap fresh --from-literal=a=1')
      await kubectl('delete configmap fresh')
    }
    const { stdout } = await ended
    expect(stdout).toMatch(added)
    expect(stdout).toMatch(deleted)
  })

  test('explains fields', async () => {
    const text = await kubectl('explain pod.spec')
    expect(text).toContain('KIND:       Pod')
    expect(text).toMatch(/schedulerName\s+<string>\s+If specified, the pod will be dispatched by specified scheduler\./)
    expect(await kubectl('explain deployment.spec.template.spec.containers.resources.limits')).toContain(
      'map[string]string',
    )
  })

  test.for([
    ['a group that is not served', 'example.com/v1'],
    ['a group that is served', 'apps/v1'],
  ])('says that nothing matches a kind in %s', async ([, apiVersion]) => {
    const unicorn = JSON.stringify({ apiVersion, kind: 'Unicorn', metadata: { name: 'x' } })
    for (const command of ['apply', 'create', 'apply --server-side', 'delete']) {
      const { code, stderr } = await session.run([...command.split(' '), '-f', '-'], { stdin: unicorn })
      expect([command, code, stderr]).toEqual([
        command,
        1,
        expect.stringContaining(`no matches for kind "Unicorn" in version "${apiVersion}"`),
      ])
    }
    expect((await session.run(['get', 'unicorns'])).stderr).toContain(
      `the server doesn't have a resource type "unicorns"`,
    )
  })

  test('applies, prints and explains a NetworkPolicy', async () => {
    const policy =
      'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: web}\nspec: {podSelector: {}}\n'
    expect(await kubectl('apply -f -', policy)).toBe('networkpolicy.networking.k8s.io/web created\n')
    expect(await kubectl('get netpol')).toMatch(/^NAME +POD-SELECTOR +AGE\nweb +<none> +\d+s\n$/)
    expect(await kubectl('explain networkpolicy.spec.policyTypes')).toContain('FIELD: policyTypes <[]string>')
    expect(await kubectl('delete netpol web')).toContain('deleted')
  })

  test('lists the resources with their short names', async () => {
    expect(await kubectl('api-resources')).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m)
    expect(await kubectl('get no,po,deploy,sts,cm,pdb,pc,leases -A -o name')).toContain('node/node-3')
    expect(await kubectl('auth can-i create pods')).toBe('yes\n')
    expect(await kubectl('version')).toContain('Server Version: v1.36.3')
  })

  test('creates and scales a deployment and follows its rollout', async () => {
    expect(await kubectl('create deployment shop --image=nginx --replicas=2')).toBe('deployment.apps/shop created\n')
    expect(await kubectl('scale deployment shop --replicas=3')).toBe('deployment.apps/shop scaled\n')
    // The controllers react to it.
    const isMade = async (): Promise<void> =>
      expect(await kubectl('get deployment shop')).toMatch(/^shop +0\/3 +3 +0 /m)
    await vi.waitFor(isMade, { timeout: 60_000 })
    const pods = (await kubectl('get pods -l app=shop -o name')).trim().split('\n')
    expect(pods).toHaveLength(3)
    for (const pod of pods) {
      const name = pod.slice('pod/'.length)
      const body = new TextEncoder().encode(
        JSON.stringify({ metadata: { name }, target: { kind: 'Node', name: 'node-3' } }),
      )
      const path = `/api/v1/namespaces/default/pods/${name}/binding`
      expect((await session.cluster.handle({ method: 'POST', path, headers: {}, body })).status).toBe(201)
    }
    expect(await kubectl('rollout status deployment shop --timeout=60s')).toContain('successfully rolled out')
    expect(await kubectl('delete deployment shop --timeout=60s')).toContain('deleted')
    await kubectl('wait --for=delete pod -l app=shop --timeout=60s')
  })

  test('cordons, taints and drains', async () => {
    await kubectl(`run keeper --image=nginx --overrides={"spec":{"nodeName":"node-2"}}`)
    await kubectl('wait --for=condition=Ready pod/keeper --timeout=60s')
    expect(await kubectl('taint node node-2 a=b:NoSchedule')).toBe('node/node-2 tainted\n')
    expect(await kubectl('drain node-2 --force --timeout=60s')).toContain('node/node-2 drained')
    expect(await kubectl('get node node-2')).toContain('Ready,SchedulingDisabled')
    expect(await kubectl('get pods -o name')).not.toContain('keeper')
    expect(await kubectl('uncordon node-2')).toBe('node/node-2 uncordoned\n')
  })

  test('creates a namespace, and deletes it with its objects', async () => {
    await kubectl('create namespace lab')
    await kubectl('create configmap inside -n lab --from-literal=a=1')
    expect(await kubectl('delete namespace lab --timeout=60s')).toContain('namespace "lab" deleted')
    expect((await session.run(['get', 'namespace', 'lab'])).code).toBe(1)
  })
})
