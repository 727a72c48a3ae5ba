import { resourceAmounts } from '@berth/resources'
import { runCommand, runOrThrow } from '../cluster/run-command.ts'
import { NAMESPACE } from '../cluster/release.ts'
import { expectThat, type TestCluster } from '../cluster/test-cluster.ts'
import { testEnvironment } from '../cluster/test-environment.ts'
import type { CheckFunction } from '../cluster/test-cluster.ts'

const MEGABITS = 'example.com/e2e-megabits'
const SCRATCH = 'example.com/e2e-scratch-mib'
const DISK = 'example.com/e2e-disk-gib'
const ADDRESSES = 'example.com/e2e-addresses'
/** Reserved by the sources: network, gateway and broadcast address. */
const RESERVED = 3
const FILE_SYSTEM = '/var/log'

const everywhere = { selector: { matchLabels: { 'kubernetes.io/os': 'linux' } } }
const addresses = { name: ADDRESSES, source: { plugin: 'pod-addresses' }, nodes: everywhere }

/** Values for an advertiser on each node. In a container that is a node, the card is one end of a veth pair. */
export const nodeModeValues: unknown = {
  advertiser: {
    mode: 'node',
    node: { hostPaths: [FILE_SYSTEM] },
    tolerations: [{ operator: 'Exists' }],
    config: {
      resources: [
        addresses,
        {
          name: MEGABITS,
          source: { plugin: 'nic-bandwidth', args: { interfaces: ['eth0'] } },
          nodes: everywhere,
        },
        {
          name: SCRATCH,
          source: { plugin: 'disk-capacity', args: { fileSystem: FILE_SYSTEM, unit: 'MiB' } },
          nodes: everywhere,
        },
        { name: DISK, source: { plugin: 'disk-capacity' }, nodes: everywhere },
      ],
    },
  },
}

/** Values for the central advertiser of the same release, with the number that needs no host. */
export const centralValues: unknown = { advertiser: { config: { resources: [addresses] } } }

/** Runs a shell script in the container that is the node. */
async function onNode(node: string, script: string): Promise<number> {
  const text = await runOrThrow(testEnvironment().engine, ['exec', node, 'sh', '-euc', script])
  const value = Number(text.trim())
  expectThat(text.trim() !== '' && Number.isFinite(value), `${script} on ${node} prints a number, and not ${text}`)
  return value
}

/** Reads the numbers of a node with its own tools. */
async function readNumbers(node: string): Promise<ReadonlyMap<string, number>> {
  const megabits = await onNode(node, 'cat /sys/class/net/eth0/speed')
  const scratchBytes = await onNode(node, `stat -f -c '%b %S' ${FILE_SYSTEM} | { read b s; echo $((b * s)); }`)
  const sectors = await onNode(
    node,
    'sum=0; for d in /sys/block/*; do if [ -e $d/device ] && [ "$(cat $d/removable)" = 0 ]; then sum=$((sum + $(cat $d/size))); fi; done; echo $sum',
  )
  const prefix = await onNode(
    node,
    `sed -n 's|.*"subnet": *"[0-9.]*/\\([0-9]*\\)".*|\\1|p' /etc/cni/net.d/* | head -n 1`,
  )
  return new Map([
    [MEGABITS, megabits],
    [SCRATCH, Math.floor(scratchBytes / 2 ** 20)],
    [DISK, Math.floor((sectors * 512) / 2 ** 30)],
    [ADDRESSES, 2 ** (32 - prefix) - RESERVED],
  ])
}

/** Waits until a node offers this many units. The API server may store 10000 as 10k. */
async function untilOffered(
  testCluster: TestCluster,
  node: string,
  { resource, units }: { readonly resource: string; readonly units: number },
): Promise<void> {
  await testCluster.until(`${units} units of ${resource} on ${node}`, async () => {
    const { capacity, allocatable } = (await testCluster.node(node)).status ?? {}
    const offered = [capacity, allocatable].map((list) => resourceAmounts(list).get(resource))
    return offered.every((each) => each === BigInt(units)) ? true : undefined
  })
}

/** Each node offers what its own tools read. */
export const numbersCheck: CheckFunction = async (testCluster) => {
  for (const node of testCluster.workers) {
    const numbers = await readNumbers(node)
    for (const [resource, units] of numbers) {
      expectThat(units > 0, `${node} reads ${units} as ${resource}, which shows nothing`)
      await untilOffered(testCluster, node, { resource, units })
    }
  }
}

/** Returns the name of the advertiser's pod on a node. */
async function podOn(testCluster: TestCluster, node: string): Promise<string> {
  const select = ['--selector', 'app.kubernetes.io/component=advertiser']
  const onNodeOnly = ['--field-selector', `spec.nodeName=${node},status.phase=Running`]
  const print = ['--output', 'jsonpath={.items[0].metadata.name}']
  const text = await testCluster.kubectl('--namespace', NAMESPACE, 'get', 'pods', ...select, ...onNodeOnly, ...print)
  return text.trim()
}

/** A command in the pod of one node cannot act on another one. */
export const foreignNodeCheck: CheckFunction = async (testCluster) => {
  const [own = '', other = ''] = testCluster.workers
  const prune = ['node', '/app/advertiser/main.js', 'prune', '--force', '--mode', 'node', '--node-name', other]
  const asOwner = ['--owner', `${NAMESPACE}/berth-advertiser`]
  const access = ['--kubeconfig', testEnvironment().kubeconfig, '--namespace', NAMESPACE]
  const pod = await podOn(testCluster, own)
  const { status, stderr } = await runCommand('kubectl', [...access, 'exec', pod, '--', ...prune, ...asOwner])
  expectThat(status === 2, `prune of another node exits with 2, and not ${status}: ${stderr}`)
  expectThat(
    stderr.includes(`the token of this process belongs to node ${own}`),
    `prune of another node names the own one: ${stderr}`,
  )
}

/** The numbers of the central mode stay, and those that need the host are withdrawn. */
export const centralCheck: CheckFunction = async (testCluster) => {
  for (const node of testCluster.workers) {
    await testCluster.untilUnits(node, MEGABITS, '-/-')
    await testCluster.untilUnits(node, DISK, '-/-')
    const units = (await readNumbers(node)).get(ADDRESSES) ?? 0
    await untilOffered(testCluster, node, { resource: ADDRESSES, units })
  }
}

/** Nothing of the advertiser is left. */
export const withdrawnCheck: CheckFunction = async (testCluster) => {
  for (const node of testCluster.workers) {
    for (const resource of [MEGABITS, SCRATCH, DISK, ADDRESSES]) await testCluster.untilUnits(node, resource, '-/-')
  }
}
