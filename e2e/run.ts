/** `npm run e2e`: Berth's built apps on a real Kubernetes in kind. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readVitestCounts } from '@berth/tools/verify/vitest-counts'
import { must } from './cluster/run-command.ts'
import { OWN_NODE_IMAGE, startKindCluster } from './cluster/kind-cluster.ts'

const usage = `Usage: npm run e2e -- [--keep] [--reuse] [--node-image IMAGE] [--kubeconfig FILE]

  --keep               leave the cluster running at the end
  --reuse              take the cluster that an earlier --keep left
  --node-image IMAGE   image of a kind node (default: ${OWN_NODE_IMAGE}, built here where it is missing)
  --kubeconfig FILE    test an existing cluster instead; scenarios that need its nodes' containers then fail

Example: npm run e2e -- --keep --reuse
`

const options = {
  keep: { type: 'boolean', default: false },
  reuse: { type: 'boolean', default: false },
  'node-image': { type: 'string', default: OWN_NODE_IMAGE },
  kubeconfig: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

function readFlags(): ReturnType<typeof parseArgs<{ options: typeof options }>>['values'] {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}

const flags = readFlags()
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

const startMs = performance.now()
const log = (text: string): void => {
  for (const line of text.trim().split('\n')) {
    if (line !== '') console.log(`[${((performance.now() - startMs) / 1000).toFixed(0).padStart(4)} s] ${line}`)
  }
}

const reportPath = join(import.meta.dirname, '..', '.berth', 'e2e.json')

async function runScenarios(kubeconfig: string, binDir: string): Promise<number> {
  const args = [
    'run',
    '--config',
    'vitest.config.ts',
    '--reporter=verbose',
    '--reporter=json',
    `--outputFile=${reportPath}`,
  ]
  const env = {
    ...process.env,
    BERTH_E2E_KUBECONFIG: kubeconfig,
    PATH: `${binDir}:${process.env['PATH'] ?? ''}`,
  }
  return await new Promise((resolve) => {
    spawn('vitest', args, { cwd: import.meta.dirname, stdio: 'inherit', env }).once('close', (code) =>
      resolve(code ?? 1),
    )
  })
}

async function main(): Promise<number> {
  log('building the apps')
  await must('turbo', ['run', 'build', '--output-logs=errors-only'], { timeoutMs: 10 * 60_000 })
  if (flags.kubeconfig !== undefined) return await runScenarios(flags.kubeconfig, '')
  await using cluster = await startKindCluster({
    nodeImage: flags['node-image'],
    isReused: flags.reuse,
    isKept: flags.keep,
    log,
  })
  log(`kubeconfig ${cluster.kubeconfig}`)
  return await runScenarios(cluster.kubeconfig, cluster.binDir)
}

rmSync(reportPath, { force: true })
let status = 1
try {
  status = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
}
const { passed, failed } = readVitestCounts(reportPath)
const isBroken = status !== 0 && failed === 0
console.log(`${passed} passed, ${isBroken ? 1 : failed} failed`)
process.exitCode = status
