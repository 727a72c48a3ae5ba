/**
 * Who may know whom, as docs and design say it: by tag of the room, the tags that its sources may import.
 * Harnesses (tools, e2e, bench) may know everything and are known by nobody.
 */
export const allowedArrows: Readonly<Record<string, readonly string[]>> = {
  types: [],
  clock: ['types'],
  text: ['types'],
  'kube-schema': [],
  resources: ['types'],
  'fit-engine': ['types', 'resources'],
  'k8s-client': ['types', 'clock', 'text'],
  'cluster-view': ['types', 'resources', 'fit-engine', 'k8s-client', 'clock', 'text'],
  'plugin-api': ['types', 'clock', 'text'],
  process: ['types', 'clock', 'text'],
  'kubelet-api': [],
  'api-conformance': ['types', 'kubelet-api'],
  'embedded-api-server': ['types', 'clock', 'text', 'kube-schema', 'resources'],
  'embedded-kubelet': ['types', 'clock', 'text', 'resources', 'kubelet-api'],
  // turbo.json has to name what is imported indirectly too, such as kubelet-api here.
  'embedded-controllers': [
    'types',
    'clock',
    'text',
    'kube-schema',
    'resources',
    'kubelet-api',
    'embedded-api-server',
    'embedded-kubelet',
  ],
  // Only its tests import api-conformance; turbo.json has one list for both.
  simulator: [
    'types',
    'clock',
    'text',
    'kube-schema',
    'resources',
    'kubelet-api',
    'api-conformance',
    'embedded-api-server',
    'embedded-kubelet',
    'embedded-controllers',
  ],
  testing: [],
  plugin: ['types', 'plugin-api'],
  app: [
    'types',
    'clock',
    'text',
    'resources',
    'fit-engine',
    'k8s-client',
    'cluster-view',
    'plugin-api',
    'process',
    'kubelet-api',
    'plugin',
  ],
}
