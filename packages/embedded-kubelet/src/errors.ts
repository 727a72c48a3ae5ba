import type { ErrorDescription } from '@berth/types'

/** The error codes of the simulated kubelet. */
export const kubeletErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SIMULATOR_SOCKET_PATH',
    meaning: 'The path of a unix socket is longer than 107 bytes, the limit of the kernel.',
    action: 'Choose a shorter directory for the simulated kubelets, for example directly below /tmp.',
  },
  {
    code: 'BERTH_SIMULATOR_SOCKET_BIND',
    meaning: 'A simulated kubelet cannot listen on its unix socket.',
    action: 'Check that the directory exists and is writable, and that no other simulator uses it.',
  },
  {
    code: 'BERTH_SIMULATOR_DEVICE_ALLOCATION',
    meaning: 'The devices of a container of a bound pod cannot be allocated. The pod fails as on a real node.',
    action: 'Read the message: devices are missing or unhealthy, or the plugin returned an error.',
  },
  {
    code: 'BERTH_SIMULATOR_KUBELET_API',
    meaning: 'A request of a simulated kubelet to the API server failed.',
    action: 'Read the message of the API server, and check the credentials of the kubelet.',
  },
]
