/**
 * Facts of the kubelet's plugin interfaces.
 *
 * @see kubernetes/kubernetes staging/src/k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1/constants.go (v1.36)
 */

/** The one version of the device plugin API that kubelets accept. */
export const DEVICE_PLUGIN_API_VERSION = 'v1beta1'

/** Health that counts into allocatable; any other text does not. */
export const HEALTHY = 'Healthy'

/** Health of a device that counts into capacity only. */
export const UNHEALTHY = 'Unhealthy'

/** Where kubelets look for device plugins; `--root-dir` does not move it. */
export const DEVICE_PLUGIN_DIR = '/var/lib/kubelet/device-plugins'

/** Where kubelets with the default `--root-dir` watch for plugin sockets. */
export const PLUGINS_REGISTRY_DIR = '/var/lib/kubelet/plugins_registry'

/** Where kubelets with the default `--root-dir` serve the pod resources API. */
export const POD_RESOURCES_DIR = '/var/lib/kubelet/pod-resources'

/** File name of the kubelet's own socket in {@link DEVICE_PLUGIN_DIR} and {@link POD_RESOURCES_DIR}. */
export const KUBELET_SOCKET_NAME = 'kubelet.sock'

/** File name of the device manager's checkpoint in {@link DEVICE_PLUGIN_DIR}. */
export const DEVICE_MANAGER_CHECKPOINT_NAME = 'kubelet_internal_checkpoint'

/** `PluginInfo.type` of a device plugin. */
export const DEVICE_PLUGIN_TYPE = 'DevicePlugin'

/** How long the kubelet waits for PreStartContainer. */
export const PRE_START_CONTAINER_TIMEOUT_MS = 30_000

/** How long the kubelet tries to reach a plugin's socket, inside the plugin's own Register call. */
export const DIAL_TIMEOUT_MS = 10_000

/** How long the plugin watcher waits for GetInfo. */
export const GET_INFO_TIMEOUT_MS = 1000

/** How long a resource of a plugin that left stays in capacity before it is set to 0. */
export const ENDPOINT_STOP_GRACE_PERIOD_MS = 300_000

/** Longest id of a device. */
export const MAX_DEVICE_ID_LENGTH = 63

/** Longest path of a unix socket in bytes; the kernel cuts longer ones without a word. */
export const MAX_SOCKET_PATH_BYTES = 107

/** Largest gRPC message that the kubelet receives: about 70,000 devices in one list. */
export const MAX_MESSAGE_BYTES = 4_194_304
