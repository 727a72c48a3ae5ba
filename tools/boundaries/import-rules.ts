/**
 * The import rules: for each package tag, the tags that its sources may import. Harnesses (tools, e2e, bench) may import
 * everything, and no package may import them.
 */
export const importRules: Readonly<Record<string, readonly string[]>> = {
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
  // turbo.json must also name indirect imports, such as kubelet-api here.
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
  // Only its tests import api-conformance. turbo.json has one list for sources and tests.
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
