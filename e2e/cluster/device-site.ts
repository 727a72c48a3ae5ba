import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeviceSite } from '@berth/api-conformance'
import { connectConformanceTarget } from './conformance-target.ts'
import { runOrThrow } from './run-command.ts'

/**
 * Opens a real kubelet in a kind node as the target of device cases. Its directories are in the volume of the node's
 * container. They are accessed through a symbolic link, because a socket path may have at most 107 bytes. Needs root and a
 * container engine on this machine.
 *
 * @param container - The node's container. kind gives the node the same name.
 */
export async function openDeviceSite(
  kubeconfig: string,
  engine: string,
  container: string,
): Promise<DeviceSite & AsyncDisposable> {
  const target = connectConformanceTarget(kubeconfig)
  const format = '{{range .Mounts}}{{if eq .Destination "/var"}}{{.Source}}{{end}}{{end}}'
  const volume = (await runOrThrow(engine, ['inspect', container, '--format', format])).trim()
  const dir = mkdtempSync(join(tmpdir(), 'bd-'))
  const kubelet = join(dir, 'k')
  symlinkSync(join(volume, 'lib', 'kubelet'), kubelet)
  return {
    handle: target.handle,
    pause: target.pause,
    runId: target.runId,
    nodeName: container,
    devicePlugins: join(kubelet, 'device-plugins'),
    pluginsRegistry: join(kubelet, 'plugins_registry'),
    podResources: join(kubelet, 'pod-resources'),
    registrySeenByKubelet: '/var/lib/kubelet/plugins_registry',
    async restartKubelet() {
      await runOrThrow(engine, ['exec', container, 'systemctl', 'restart', 'kubelet'])
    },
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
