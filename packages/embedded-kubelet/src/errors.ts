import type { ErrorDescription } from '@berth/types'

/** Every error code of the simulated kubelet. */
export const kubeletErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SIMULATOR_SOCKET_PATH',
    meaning: 'The path of a unix socket is longer than the 107 bytes that the kernel takes.',
    action: 'Choose a shorter directory for the simulated kubelets, for example one right below /tmp.',
  },
  {
    code: 'BERTH_SIMULATOR_SOCKET_BIND',
    meaning: 'A simulated kubelet cannot listen on its unix socket.',
    action: 'See that the directory exists, is writable and that no other simulator uses it.',
  },
  {
    code: 'BERTH_SIMULATOR_DEVICE_ALLOCATION',
    meaning: 'A container of a bound pod cannot be given its devices; the pod fails as it would on a real node.',
    action: 'Read the message: it says whether devices are missing, unhealthy, or the plugin refused.',
  },
  {
    code: 'BERTH_SIMULATOR_KUBELET_API',
    meaning: 'The API server refused a request of a simulated kubelet.',
    action: 'Read the message of the API server; check the credentials given to the kubelet.',
  },
]
