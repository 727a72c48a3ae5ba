import { BerthError, type ErrorDescription } from '@berth/types'

/** The directory for the plugin's sockets cannot be used. */
export class SocketDirectoryError extends BerthError {}

/** A socket for the kubelet cannot be served. */
export class PluginSocketError extends BerthError {}

/** The kubelet did not accept a registration. The plugin retries. */
export class RegistrationError extends BerthError {
  constructor(message: string, cause?: unknown) {
    super(message, {
      code: 'BERTH_DEVICE_PLUGIN_REGISTER',
      retryable: true,
      ...(cause !== undefined && { cause }),
      hint: 'Check the kubelet log on this node. The kubelet must be 1.26 or newer.',
    })
  }
}

/** The kubelet requested devices that cannot be allocated. */
export class DeviceRequestError extends BerthError {}

/** The node helper cannot be started, or does not answer the device plugin. */
export class NodeHelperError extends BerthError {
  constructor(message: string, options: { readonly cause?: unknown; readonly hint: string }) {
    super(message, { code: 'BERTH_DEVICE_PLUGIN_NODE_HELPER', retryable: true, ...options })
  }
}

/** Every error code of the device plugin. */
export const devicePluginErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_DEVICE_PLUGIN_SOCKET_DIR',
    meaning: 'The socket directory is missing, is not a directory, or is not writable.',
    action:
      'Mount the kubelet directory in the message into the container and make it writable for the user of the container.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_SOCKET_PATH',
    meaning: 'The socket path would be longer than 107 bytes, the limit for a unix socket.',
    action: 'Set a shorter directory with --plugins-registry or --device-plugin-dir.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_SOCKET_BIND',
    meaning: 'The plugin cannot listen on a socket in its directory.',
    action: 'Check the permissions of the directory and its free disk space.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_REGISTER',
    meaning: 'The kubelet did not accept a registration, or never requested the device list. The plugin retries.',
    action: 'Check the kubelet log, and check that no other plugin serves the same resource.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE',
    meaning: 'The kubelet requested a device id that is not in the current inventory.',
    action: 'Check whether the device was unplugged. The controller of the pod creates it again.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE',
    meaning: 'The kubelet requested a device that became unhealthy after it was listed.',
    action: 'See the reason in the message and repair the device.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_ALLOCATE',
    meaning: 'A device source failed to allocate devices to a container.',
    action: 'See the cause. The defect is in the source or in a system that it uses.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_PRE_START',
    meaning:
      'The preStart program or hook of a resource failed or missed its deadline, so the container does not start.',
    action: 'See the reason in the message. The kubelet tries again with its backoff.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_NODE_HELPER',
    meaning: 'The node helper, which writes CDI files and reads pod resources, is not configured or does not answer.',
    action: 'Check the container node-helper of the device plugin, and the flag --node-helper of both.',
  },
]
