import { join } from 'node:path'
import { must, runCommand } from './run-command.ts'

const root = join(import.meta.dirname, '..', '..')
const HOME = '/opt/berth'

/** A program inside a node's container, beside the real kubelet. */
export interface NodeProgram extends AsyncDisposable {
  /** Ends it as a crash would. */
  kill(): Promise<void>
  start(): Promise<void>
  log(): Promise<string>
}

/** Runs a command in a node's container. */
export function onNode(node: string, ...command: readonly string[]): Promise<string> {
  return must('docker', ['exec', node, ...command])
}

/**
 * Copies Node and the device plugin's bundle into a node's container and starts it there, not as root, with the sub-directory
 * of the plugins registry that an installation would give it.
 */
export async function startDevicePlugin(node: string, config: string): Promise<NodeProgram> {
  const registry = '/var/lib/kubelet/plugins_registry/berth'
  const user = '65532'
  await onNode(node, 'mkdir', '-p', HOME, registry)
  await must('docker', ['cp', '-q', '-L', process.execPath, `${node}:${HOME}/node`])
  await must('docker', ['cp', '-q', join(root, 'apps/device-plugin/dist/main.cjs'), `${node}:${HOME}/main.cjs`])
  await must('docker', ['exec', '-i', node, 'sh', '-c', `cat > ${HOME}/config.yaml`], { input: config })
  await onNode(node, 'chown', `${user}:${user}`, registry)
  // The registry itself is root's alone; a mounted sub-directory gives the plugin its way in, here a traversable parent.
  await onNode(node, 'chmod', 'o+x', '/var/lib/kubelet', '/var/lib/kubelet/plugins_registry')
  const pidFile = `/tmp/berth-device-plugin.pid`
  const command = `umask 077; echo $$ > ${pidFile}; exec ${HOME}/node ${HOME}/main.cjs --config ${HOME}/config.yaml --plugins-registry ${registry} --health-address 127.0.0.1:9401 > /tmp/berth-device-plugin.log 2>&1`
  const start = async (): Promise<void> => {
    await must('docker', ['exec', '-d', '-u', `${user}:${user}`, node, 'sh', '-c', command])
  }
  const signal = (name: string) => runCommand('docker', ['exec', node, 'sh', '-c', `kill -${name} $(cat ${pidFile})`])
  await start()
  return {
    start,
    kill: async () => void (await signal('KILL')),
    log: () => onNode(node, 'cat', '/tmp/berth-device-plugin.log'),
    async [Symbol.asyncDispose]() {
      await signal('TERM')
    },
  }
}
