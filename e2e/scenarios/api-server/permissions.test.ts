import { resourceRefs } from '@berth/k8s-client'
import { type RunningProgram, startProgram } from '@berth/process/testing'
import { podGroupDefinition } from '@berth/testing'
import type { KubernetesObject, Node, Pod, PodSpec } from '@berth/types'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { parseAuditLog, type AuditedRequest } from '../../cluster/audit-log.ts'
import {
  bootstrapRoles,
  roles,
  seldomUsed,
  seldomUsedByKubeScheduler,
  usedByGangs,
  sometimesUsedByKubeScheduler,
  writesOfKubeScheduler,
  type Account,
} from '../../real-api-server/chart-accounts.ts'
import { freePorts } from '../../real-api-server/free-ports.ts'
import { installChartObjects, type InstalledChart } from '../../real-api-server/install-chart-objects.ts'
import { toStoredObject } from '../../real-api-server/large-cluster.ts'
import {
  accountOf,
  createPod,
  NAMESPACE,
  ref,
  SEAT,
  until,
  untilAudited,
  untilRefused,
  type Session,
} from '../../permissions/session.ts'
import {
  causeSchedulerWrites,
  CORES,
  driftTwice,
  hasGangs,
  loseDevice,
  loseDeviceTwice,
  lowerBelowUse,
} from '../../permissions/situations.ts'
import { startRealApiServer } from '../../real-api-server/real-api-server.ts'
import { permissionOf, permissionsIn, type RoleRule } from '../../cluster/used-permissions.ts'
import { isNewestKubernetes } from '../../cluster/kubernetes-version.ts'
import { lacksGate } from '../../cluster/version-differences.ts'
import { causeKubeSchedulerWrites } from '../../real-scheduler/cause-kube-scheduler-writes.ts'
import { startExtender } from '../../real-scheduler/extender-process.ts'
import {
  createFormerCertificates,
  kubeSchedulerElsewhere,
  upgradeFlags,
} from '../../real-scheduler/former-certificates.ts'
import { secretData, secretRef } from '../../real-scheduler/secret-mount.ts'
import { startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'

const apps = join(import.meta.dirname, '../../../apps')
const priorityClasses = ref('scheduling.k8s.io', 'priorityclasses', 'PriorityClass', false)
const serviceAccounts = ref('', 'serviceaccounts', 'ServiceAccount', true)
const daemonSets = ref('apps', 'daemonsets', 'DaemonSet', true)
const definitions = ref('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition', false)

/** Evictions need the health of devices, which is off by default in some versions. */
const ALWAYS = lacksGate('ResourceHealthStatus') ? ['ResourceHealthStatus=true'] : []
const GANGS = hasGangs ? ['GenericWorkload=true', 'GangScheduling=true'] : []
const values = {
  advertiser: { config: { resources: [SEAT, CORES].map((name) => ({ name, units: 1, nodes: { selector: {} } })) } },
  devicePlugin: { config: { resources: [{ name: 'example.com/dongle', source: 'count', args: { count: 1 } }] } },
  eviction: { enabled: true, config: { resources: [SEAT], afterSeconds: 1 } },
  extender: { replicas: 1, config: { bind: true } },
  cli: { survey: true, subjects: [{ kind: 'ServiceAccount', name: 'berth-cli-user', namespace: NAMESPACE }] },
}

/** One run of all programs against one API server. Returns their audited requests and the installed roles. */
async function runEverything(gates: readonly string[]): Promise<{
  readonly requests: readonly AuditedRequest[]
  readonly installed: InstalledChart
  /** The objects of the installation, and those that exist only during an upgrade. */
  readonly objects: InstalledChart['objects']
  /** The rules of {@link bootstrapRoles}. */
  readonly bootstrapRules: readonly RoleRule[]
}> {
  await using parts = new AsyncDisposableStack()
  const dir = mkdtempSync(join(tmpdir(), 'berth-permissions-'))
  parts.defer(() => rmSync(dir, { recursive: true }))
  const auditLog = join(dir, 'audit.log')
  const policy = join(dir, 'audit-policy.yaml')
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [{ level: 'Metadata', userGroups: [`system:serviceaccounts:${NAMESPACE}`] }, { level: 'None' }],
    }),
  )
  const allGates = [...ALWAYS, ...GANGS, ...gates]
  const gateFlags = allGates.length === 0 ? [] : [`--feature-gates=${allGates.join(',')}`]
  const apiFlags = hasGangs ? ['--runtime-config=scheduling.k8s.io/v1alpha2=true'] : []
  const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`, ...gateFlags, ...apiFlags]
  const server = parts.use(await startRealApiServer({ flags }))
  const admin = parts.use(connectQuietly({ access: server.access() }))
  const amounts = { cpu: '4', memory: '8Gi', pods: '100' }
  const node: Node = {
    metadata: { name: 'node-1', labels: { 'kubernetes.io/hostname': 'node-1' } },
    status: { capacity: amounts, allocatable: amounts },
  }
  await server.seed([['minions/node-1', toStoredObject('Node', node)]])
  const installed = await installChartObjects(server, admin.client, { profile: 'full', values })
  await admin.client.create(serviceAccounts, {
    metadata: { namespace: NAMESPACE, name: 'berth-cli-user' },
  })
  await admin.client.create(definitions, podGroupDefinition)
  const session = { server, dir, auditLog, installed, admin }
  await runApps(session)
  await runCommandLine(session)
  await runUninstall(session)
  const upgraded = await runAdoption(session)
  const log = parseAuditLog(readFileSync(auditLog, 'utf8'))
  const bootstrapRules = await Promise.all(
    bootstrapRoles.map(async ({ kind, namespace, name }) => {
      const resource = ref('rbac.authorization.k8s.io', `${kind.toLowerCase()}s`, kind, namespace !== undefined)
      const role = await admin.client.get<KubernetesObject & { readonly rules: readonly RoleRule[] }>(resource, {
        name,
        ...(namespace !== undefined && { namespace }),
      })
      return role.rules
    }),
  )
  return {
    requests: log,
    objects: [...installed.objects, ...upgraded],
    installed,
    bootstrapRules: bootstrapRules.flat(),
  }
}

async function kubeconfigOf({ server, dir, installed }: Session, account: Account): Promise<string> {
  const path = join(dir, `${account}.kubeconfig`)
  writeFileSync(path, server.kubeconfig(await installed.identityOf(account)), { mode: 0o600 })
  return path
}

async function runApps(session: Session): Promise<void> {
  const { installed, admin, dir, server } = session
  const started: RunningProgram[] = []
  const start = async (
    component: 'advertiser' | 'eviction' | 'scheduler',
    app: string = component,
    ...words: string[]
  ): Promise<void> => {
    const files = installed.data(`berth-${component}`)
    const home = join(dir, component)
    mkdirSync(home)
    const [[name, text] = ['', '']] = Object.entries(files)
    writeFileSync(join(home, name), text)
    const kubeconfig = await kubeconfigOf(session, `berth-${component}`)
    const args = ['--config', join(home, name), '--kubeconfig', kubeconfig, '--health-address=127.0.0.1:0']
    started.push(startProgram(join(apps, app, 'src/main.ts'), [...words, ...args]))
  }
  const place = async (name: string, spec: Partial<PodSpec>): Promise<void> => {
    await createPod(session, name, spec)
    await until(`${name} to be placed`, async () => {
      const pod = await admin.client.find<Pod>(resourceRefs.pods, { namespace: NAMESPACE, name })
      return pod?.spec.nodeName
    })
  }
  await using parts = new AsyncDisposableStack()
  parts.defer(async () => {
    for (const { child } of started) child.kill('SIGTERM')
    await Promise.all(started.map(({ ended }) => ended))
  })
  await start('advertiser')
  await start('scheduler')
  await start('eviction', 'advertiser', 'evict')
  await until('the seat of the node', async () => {
    const { status } = await admin.client.get<Node>(resourceRefs.nodes, { name: 'node-1' })
    return status?.allocatable?.[SEAT] === '1' ? true : undefined
  })
  await admin.client.create(priorityClasses, { metadata: { name: 'urgent' }, value: 1_000 })
  await place('low', { schedulerName: 'berth-scheduler' })
  await place('high', { schedulerName: 'berth-scheduler', priorityClassName: 'urgent' })
  await admin.client.delete(resourceRefs.pods, { namespace: NAMESPACE, name: 'high' })
  await causeSchedulerWrites(session)

  const { serverKeys, clientKeys } = await runAuthority(session)
  const identity = await installed.identityOf('berth-extender')
  const pair = (data: Readonly<Record<string, string>>) => ({ cert: data['tls.crt'] ?? '', key: data['tls.key'] ?? '' })
  const extender = parts.use(
    await startExtender({
      dir,
      name: 'extender',
      kubeconfig: server.kubeconfig(identity),
      server: pair(serverKeys),
      ca: serverKeys['ca.crt'] ?? '',
      config: parse(installed.data('berth-extender')['config.yaml'] ?? '') as object as Record<string, unknown>,
    }),
  )
  const text = installed.data('berth-kube-scheduler')['scheduler.yaml'] ?? ''
  const { leaderElection, profiles } = parse(text) as Readonly<Record<string, unknown>>
  const kubeScheduler = startKubeScheduler({
    dir,
    kubeconfig: server.kubeconfig(identity),
    extender: { port: extender.port, ca: clientKeys['ca.crt'] ?? '', caller: pair(clientKeys) },
    config: { leaderElection, profiles },
    securePort: (await freePorts(1))[0] ?? 0,
  })
  parts.defer(() => kubeScheduler.stop())
  await place('first', { schedulerName: 'berth-kube-scheduler' })
  // Waits for the unit of the first, whose end makes the extender signal a retry if kube-scheduler does not see a reason itself.
  await createPod(session, 'second', { schedulerName: 'berth-kube-scheduler' })
  await untilRefused(session, 'second')
  await causeKubeSchedulerWrites({
    client: admin.client,
    namespace: NAMESPACE,
    schedulerName: 'berth-kube-scheduler',
    resource: SEAT,
    priorityClassName: 'urgent',
  })
  for (const write of writesOfKubeScheduler) await untilAudited(session, 'berth-extender', write)
  await lowerBelowUse(session)
  await driftTwice(session)
  await loseDevice(session)
  await loseDeviceTwice(session)
}

/** Lets the authority issue certificates and lose its own, so that it publishes the next one and looks for kube-schedulers. */
async function runAuthority(session: Session) {
  const { installed, admin, dir } = session
  const config = join(dir, 'authority.yaml')
  writeFileSync(config, installed.data('berth-authority')['config.yaml'] ?? '')
  const kubeconfig = await kubeconfigOf(session, 'berth-authority')
  const dataOf = (side: string) =>
    until(`the certificate of the ${side}`, () =>
      secretData(admin.client, { namespace: NAMESPACE, name: `berth-authority-${side}` }),
    )
  const run = async (work: () => Promise<void>): Promise<void> => {
    const flags = [
      '--config',
      config,
      '--kubeconfig',
      kubeconfig,
      '--health-address=127.0.0.1:0',
      '--check-seconds=0.5',
    ]
    const { child, ended } = startProgram(join(apps, 'authority/src/main.ts'), flags)
    await work()
    child.kill('SIGTERM')
    await ended
  }
  await run(async () => void (await dataOf('client')))
  // A running process would restore it.
  await admin.client.delete(secretRef, { namespace: NAMESPACE, name: 'berth-authority-ca' })
  await run(async () => {
    await untilAudited(session, 'berth-authority', '/pods list')
  })
  return { serverKeys: await dataOf('server'), clientKeys: await dataOf('client') }
}

async function runCommandLine(session: Session): Promise<void> {
  const kubeconfig = await kubeconfigOf(session, 'berth-cli-user')
  const main = join(apps, 'kubectl-berth/src/main.ts')
  const manifest = join(session.dir, 'deployment.yaml')
  writeFileSync(
    manifest,
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'new', namespace: NAMESPACE },
      spec: {
        selector: { matchLabels: { app: 'new' } },
        template: { metadata: { labels: { app: 'new' } }, spec: { containers: [{ name: 'main', image: 'none' }] } },
      },
    }),
  )
  const inNamespace = ['--namespace', NAMESPACE]
  const run = (args: readonly string[]) => startProgram(main, [...args, '--kubeconfig', kubeconfig]).ended
  await run(['explain', 'pod', 'squad-1', ...inNamespace])
  // The survey counts the objects of every custom kind that it may list. The role cannot name kinds that others define.
  await session.admin.client.delete(definitions, { name: podGroupDefinition.metadata.name })
  await until('the definition to be deleted', async () => {
    const found = await session.admin.client.find(definitions, { name: podGroupDefinition.metadata.name })
    return found === undefined ? true : undefined
  })
  for (const args of [
    ['brief', '-A'],
    ['explain', 'pod', 'second', ...inNamespace],
    ...(hasGangs ? [['explain', 'pod', 'gang-1', ...inNamespace]] : []),
    ['explain', '--all-pending', '-A'],
    ['explain', '-f', manifest, ...inNamespace],
    ...['deploy', 'ds', 'rs', 'sts', 'job'].map((kind) => ['explain', `${kind}/none`, ...inNamespace]),
    ['capacity'],
    ['whatif', '--remove-node', 'node-1'],
    ['extensions'],
    ['doctor'],
  ]) {
    await run(args)
  }
}

async function runUninstall(session: Session): Promise<void> {
  const { installed, admin } = session
  const kubeconfig = ['--kubeconfig', await kubeconfigOf(session, 'berth-uninstall')]
  const labels = { 'app.kubernetes.io/instance': 'berth', 'app.kubernetes.io/component': 'device-plugin' }
  const containers = [{ name: 'main', image: 'none' }]
  await admin.client.create<Pod>(resourceRefs.pods, {
    metadata: { namespace: NAMESPACE, name: 'plugin', labels },
    spec: { nodeName: 'node-1', containers },
  })
  await admin.client.patch(
    resourceRefs.pods,
    { namespace: NAMESPACE, name: 'plugin' },
    { status: { phase: 'Running' } },
    { type: 'merge', subresource: 'status' },
  )
  // As after an installation whose advertiser never started.
  await admin.client.delete(resourceRefs.leases, { namespace: NAMESPACE, name: 'berth-advertiser' })
  const hook = { metadata: { labels: { app: 'sockets' } }, spec: { nodeSelector: { none: 'here' }, containers } }
  await admin.client.create(daemonSets, {
    metadata: { namespace: NAMESPACE, name: 'berth-uninstall-sockets' },
    spec: { selector: { matchLabels: { app: 'sockets' } }, template: hook },
  })
  const cli = join(apps, 'kubectl-berth/src/main.ts')
  const selector = Object.entries(labels)
    .map((each) => each.join('='))
    .join()
  const owner = (parse(installed.data('berth-advertiser')['config.yaml'] ?? '') as { readonly owner: string }).owner
  for (const [main, args] of [
    [cli, ['uninstall-check', 'example.com/dongle']],
    [cli, ['uninstall-announce', NAMESPACE, selector, 'example.com/dongle']],
    [join(apps, 'advertiser/src/main.ts'), ['prune', '--dry-run', '--owner', owner]],
    [join(apps, 'advertiser/src/main.ts'), ['prune', '--force', '--owner', owner]],
    [cli, ['uninstall-wait', NAMESPACE, 'berth-uninstall-sockets', '--timeout', '20']],
  ] as const) {
    await startProgram(main, [...args, ...kubeconfig]).ended
  }
}

/** Runs the hook of an upgrade that finds certificates of another source. Returns the objects that exist only then. */
async function runAdoption(session: Session): Promise<InstalledChart['objects']> {
  const { server, dir, admin, installed } = session
  await createFormerCertificates(admin.client, NAMESPACE)
  const kubeconfig = join(dir, 'admin.kubeconfig')
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
  for (const side of ['server', 'client'])
    await admin.client.delete(secretRef, { namespace: NAMESPACE, name: `berth-authority-${side}` })
  const upgrade = await installChartObjects(server, admin.client, {
    profile: 'full',
    values: { ...values, extender: { ...values.extender, ...kubeSchedulerElsewhere } },
    flags: upgradeFlags(kubeconfig),
  })
  const { code, stderr } = await startProgram(join(apps, 'authority/src/main.ts'), [
    'adopt',
    '--kubeconfig',
    await kubeconfigOf({ ...session, installed: upgrade }, 'berth-authority-adopt'),
  ]).ended
  expect([code, stderr]).toEqual([0, ''])
  const nameOf = ({ kind, metadata }: InstalledChart['objects'][number]): string => `${kind} ${metadata.name}`
  const before = new Set(installed.objects.map(nameOf))
  return upgrade.objects.filter((object) => !before.has(nameOf(object)))
}

describe('the permissions of every role of the chart, measured in the audit log of a real API server', () => {
  const used = new Map<string, Set<string>>()
  const refused: string[] = []
  let installed: InstalledChart
  let objects: InstalledChart['objects']
  let bootstrapRules: readonly RoleRule[] = []

  afterAll(() => {
    for (const [account, permissions] of used) console.log(`${account}: ${[...permissions].toSorted().join(', ')}`)
  })

  // Without WatchList, as up to Kubernetes 1.34, collections are listed; with it, they are only watched.
  test.for([[], ['WatchList=false']])('no request of any account is refused (%j)', async (gates) => {
    const run = await runEverything(gates)
    ;({ installed, objects, bootstrapRules } = run)
    for (const request of run.requests) {
      const account = accountOf(request)
      const permission = permissionOf(request)
      if (permission === undefined) continue
      used.set(account, (used.get(account) ?? new Set()).add(permission))
      if (request.responseStatus?.code === 403) refused.push(`${account}: ${permission}`)
    }
    expect([...new Set(refused)]).toEqual([])
  })

  test('each role of the chart belongs to an account of this test', () => {
    const known: ReadonlySet<string> = new Set(Object.values(roles).flat())
    const names = objects
      .filter(({ kind }) => kind.endsWith('Role'))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(names.filter((name) => !known.has(name))).toEqual([])
  })

  test.for(Object.keys(roles) as Account[])(
    '%s has no unused permission, apart from those for other situations',
    (account) => {
      const own: ReadonlySet<string> = new Set(roles[account])
      const rules = objects.flatMap((object) => {
        const { kind, metadata, rules: found = [] } = object as typeof object & { readonly rules?: readonly RoleRule[] }
        return own.has(`${kind} ${metadata.name}`) ? found : []
      })
      const permissions = permissionsIn(rules)
      expect(permissions.length).toBeGreaterThan(0)
      const idle = permissions.filter((permission) => used.get(account)?.has(permission) !== true)
      const withoutGangs = hasGangs ? [] : (usedByGangs[account] ?? [])
      expect(idle.toSorted()).toEqual([...Object.keys(seldomUsed[account]), ...withoutGangs].toSorted())
    },
  )

  test('kube-scheduler beside the extender uses the roles of Kubernetes that it is bound to, apart from permissions for other situations', () => {
    const bound = installed.objects.flatMap((object) => {
      const { roleRef, metadata } = object as typeof object & { readonly roleRef?: { readonly name: string } }
      const isOwn = roleRef === undefined || roleRef.name.includes('berth')
      return isOwn ? [] : [[metadata.namespace, roleRef.name].filter(Boolean).join('/')]
    })
    expect(bound).toEqual(bootstrapRoles.map(({ namespace, name }) => [namespace, name].filter(Boolean).join('/')))
    const idle = new Set(permissionsIn(bootstrapRules).filter((each) => used.get('berth-extender')?.has(each) !== true))
    const granted = new Set(permissionsIn(bootstrapRules))
    console.log(`kube-scheduler: ${granted.size} permissions of Kubernetes, ${idle.size} unused`)
    const listed = Object.values(seldomUsedByKubeScheduler).flat().toSorted()
    // Each version of Kubernetes has roles of its own. Those of the newest one grant everything that is listed.
    const isGranted = isNewestKubernetes() ? () => true : (each: string) => granted.has(each)
    const neverUsed = [...idle].filter((each) => !sometimesUsedByKubeScheduler.includes(each))
    expect(neverUsed.toSorted()).toEqual(listed.filter(isGranted))
  })
})
