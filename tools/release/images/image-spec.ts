import { dirname } from 'node:path'

/** Program of an image, and how it runs. */
export interface ImageSpec {
  /** Suffix of the tag. */
  readonly variant: '' | '-kube-scheduler'
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly cmd: readonly string[]
  /** Whether the image has the command kube-scheduler. */
  readonly hasKubeScheduler: boolean
}

/** The images of a release, as the last two stages of the Dockerfile. */
export const imageSpecs: readonly ImageSpec[] = [
  {
    variant: '',
    user: '65532:65532',
    entrypoint: ['node'],
    cmd: ['/app/kubectl-berth/main.js', '--help'],
    hasKubeScheduler: false,
  },
  { variant: '-kube-scheduler', user: '0:0', entrypoint: ['kube-scheduler'], cmd: [], hasKubeScheduler: true },
]

/** Environment of every image. */
export const imageEnvironment: readonly string[] = ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production']

/** Bundles in the image: the path in the checkout, and the path below /app. */
export const bundles: readonly (readonly [source: string, target: string])[] = [
  ['apps/advertiser/dist/main.js', 'advertiser/main.js'],
  ['apps/advertiser/dist/new-kube-config.js', 'advertiser/new-kube-config.js'],
  ['apps/authority/dist/main.js', 'authority/main.js'],
  ['apps/authority/dist/new-kube-config.js', 'authority/new-kube-config.js'],
  ['apps/device-plugin/dist/main.cjs', 'device-plugin/main.cjs'],
  ['apps/extender/dist/main.js', 'extender/main.js'],
  ['apps/extender/dist/new-kube-config.js', 'extender/new-kube-config.js'],
  ['apps/kubectl-berth/dist/main.js', 'kubectl-berth/main.js'],
  ['apps/scheduler/dist/main.js', 'scheduler/main.js'],
  ['apps/scheduler/dist/new-kube-config.js', 'scheduler/new-kube-config.js'],
]

/** Bundles of {@link bundles} that are programs. */
export const programs: typeof bundles = bundles.filter(([, target]) => /\/main\.c?js$/.test(target))

/** All files of the apps in the image, as {@link bundles}: these, and the licences and notices of the packages in them. */
export const appFiles: typeof bundles = [
  ...bundles,
  ...programs.map(([source, target]) => [`${dirname(source)}/NOTICES.txt`, `${dirname(target)}/NOTICES.txt`] as const),
]

/** The command kube-scheduler. */
export const kubeSchedulerText = '#!/usr/local/bin/node\nimport "/app/scheduler/main.js"\n'

/** Labels of an image. */
export function imageLabels(version: string): Readonly<Record<string, string>> {
  return {
    'org.opencontainers.image.title': 'berth',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.description': 'Extended resources for Kubernetes, end to end',
  }
}
