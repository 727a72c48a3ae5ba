import { BerthError, type ErrorDescription } from '@berth/types'

/** The directory for the plugin's sockets cannot be used. */
export class SocketDirectoryError extends BerthError {}

/** A socket for the kubelet cannot be served. */
export class PluginSocketError extends BerthError {}

/** The kubelet did not accept a registration; it is tried again. */
export class RegistrationError extends BerthError {
  constructor(message: string, cause?: unknown) {
    super(message, {
      code: 'BERTH_DEVICE_PLUGIN_REGISTER',
      retryable: true,
      ...(cause !== undefined && { cause }),
      hint: 'Look at the log of the kubelet on this node; it must be 1.26 or newer.',
    })
  }
}

/** The kubelet asked for devices that cannot be given. */
export class DeviceRequestError extends BerthError {}

/** Every error code of the device plugin. */
export const devicePluginErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_DEVICE_PLUGIN_SOCKET_DIR',
    meaning: 'The directory for the sockets is missing, is no directory, or may not be written.',
    action: 'Mount the kubelet directory that the message names into the container and make it writable for its user.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_SOCKET_PATH',
    meaning: 'The path of the socket would be longer than the 107 bytes that a unix socket takes.',
    action: 'Name a shorter directory with --plugins-registry or --device-plugin-dir.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_SOCKET_BIND',
    meaning: 'The plugin cannot listen on a socket in its directory.',
    action: 'Check the permissions of the directory and the space on its disk.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_REGISTER',
    meaning: 'The kubelet did not accept a registration, or never asked for the devices; the plugin tries again.',
    action: 'Look at the log of the kubelet, and that no other plugin serves the same resource.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_UNKNOWN_DEVICE',
    meaning: 'The kubelet asked for a device id that is not in the inventory now.',
    action: 'See whether the device was unplugged; the pod is created again by its controller.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_UNHEALTHY_DEVICE',
    meaning: 'The kubelet asked for a device that has become unhealthy since it was listed.',
    action: 'Read the reason in the message, and repair the device.',
  },
  {
    code: 'BERTH_DEVICE_PLUGIN_ALLOCATE',
    meaning: 'A device source could not say what a container gets.',
    action: 'Read the cause; it is a defect of the source or of what it asks.',
  },
]
