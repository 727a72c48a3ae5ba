import { startHealthServer } from '@berth/process/health'
import { createLogger, type LogFormat, type LogLevel } from '@berth/process/log'
import { shutdownSignal, untilAborted } from '@berth/process/shutdown'
import type { Clock } from '@berth/types'
import { NodeHelperError } from '../errors.ts'
import { isUninstallAnnounced } from '../uninstall/watch-announcement.ts'
import { openCdiDirectory } from './cdi-directory.ts'
import { listPodDevices } from './pod-devices.ts'
import { serveNodeHelper } from './serve-node-helper.ts'

/** Settings of the node helper. */
export interface NodeHelperSettings {
  readonly nodeHelper?: string | undefined
  readonly cdiDirectory?: string | undefined
  readonly cdiOwner: string
  readonly podResourcesDirectory?: string | undefined
  readonly uninstallFile?: string | undefined
  readonly healthAddress: string
  readonly logLevel: LogLevel
  readonly logFormat: LogFormat
}

/**
 * Runs the node helper until a signal: it does for the device plugin what needs directories of root, and nothing else.
 * When an uninstall is announced, it deletes the CDI files at the end. An upgrade leaves them for the containers that run.
 *
 * @throws NodeHelperError BERTH_DEVICE_PLUGIN_NODE_HELPER
 */
export async function runNodeHelper(settings: NodeHelperSettings, clock: Clock): Promise<void> {
  const { nodeHelper, cdiDirectory, cdiOwner, podResourcesDirectory, uninstallFile, healthAddress, logLevel } = settings
  if (nodeHelper === undefined) {
    throw new NodeHelperError('start the node helper: it has no socket', {
      hint: 'Set --node-helper to the path of a socket that the device plugin can reach.',
    })
  }
  const log = createLogger({ component: 'node-helper', level: logLevel, format: settings.logFormat })
  const stop = shutdownSignal()
  const cdi = cdiDirectory === undefined ? undefined : await openCdiDirectory(cdiDirectory, cdiOwner)
  {
    await using _server = await serveNodeHelper(
      nodeHelper,
      {
        cdi,
        ...(podResourcesDirectory !== undefined && {
          listPodDevices: (signal) => listPodDevices(podResourcesDirectory, signal),
        }),
      },
      log,
    )
    await using _health = await startHealthServer({ address: healthAddress, checks: [], log, stop })
    log.info({ socket: nodeHelper, cdiDirectory, podResourcesDirectory }, 'Serving the device plugin')
    await untilAborted(stop)
    log.info({ reason: stop.reason }, 'Stopping')
  }
  // After the server has closed, so that the plugin cannot write a file again.
  if (cdi !== undefined && uninstallFile !== undefined && (await isUninstallAnnounced(uninstallFile, clock.now()))) {
    log.info({ deleted: await cdi.removeAll() }, 'Uninstall announced: deleted the CDI files')
  }
}
