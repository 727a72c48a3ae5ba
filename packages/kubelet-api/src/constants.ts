/**
 * Constants of the kubelet's plugin interfaces.
 *
 * @see kubernetes/kubernetes staging/src/k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1/constants.go (v1.36)
 */

/** The only version of the device plugin API that kubelets accept. */
export const DEVICE_PLUGIN_API_VERSION = 'v1beta1'

/** Health of a device that counts into allocatable. Any other text does not count. */
export const HEALTHY = 'Healthy'

/** Health of a device that counts only into capacity. */
export const UNHEALTHY = 'Unhealthy'

/** Directory of kubelet.sock and of classic device plugins. `--root-dir` does not change it. */
export const DEVICE_PLUGIN_DIR = '/var/lib/kubelet/device-plugins'

/** Directory that kubelets with the default `--root-dir` watch for plugin sockets. */
export const PLUGINS_REGISTRY_DIR = '/var/lib/kubelet/plugins_registry'

/** Directory in which kubelets with the default `--root-dir` serve the pod resources API. */
export const POD_RESOURCES_DIR = '/var/lib/kubelet/pod-resources'

/** File name of the kubelet's own socket in {@link DEVICE_PLUGIN_DIR} and {@link POD_RESOURCES_DIR}. */
export const KUBELET_SOCKET_NAME = 'kubelet.sock'

/** File name of the device manager's checkpoint in {@link DEVICE_PLUGIN_DIR}. */
export const DEVICE_MANAGER_CHECKPOINT_NAME = 'kubelet_internal_checkpoint'

/** `PluginInfo.type` of a device plugin. */
export const DEVICE_PLUGIN_TYPE = 'DevicePlugin'

/** The kubelet's timeout for PreStartContainer. */
export const PRE_START_CONTAINER_TIMEOUT_MS = 30_000

/** The kubelet's timeout for connecting to a plugin's socket, during the plugin's Register call. */
export const DIAL_TIMEOUT_MS = 10_000

/** The plugin watcher's timeout for GetInfo. */
export const GET_INFO_TIMEOUT_MS = 1000

/** Time after which the capacity of a plugin that disappeared is set to 0. */
export const ENDPOINT_STOP_GRACE_PERIOD_MS = 300_000

/** Maximum length of a device id in characters. */
export const MAX_DEVICE_ID_LENGTH = 63

/** Maximum length of a unix socket path in bytes. The kernel truncates longer paths without an error. */
export const MAX_SOCKET_PATH_BYTES = 107

/** Maximum gRPC message size that the kubelet accepts: about 70,000 devices in one list. */
export const MAX_MESSAGE_BYTES = 4_194_304
