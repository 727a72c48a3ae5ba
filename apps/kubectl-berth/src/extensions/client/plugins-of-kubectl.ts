import { survey } from '../model/survey.ts'

/** The kubectl plugins of this machine. Nothing records how often they run. */
export const pluginsOfKubectl = survey({
  kind: 'kubectl-plugins',
  title: 'kubectl plugins on this machine',
  needs: ['kubectlPlugins'],
  find({ kubectlPlugins }) {
    return kubectlPlugins.map(({ command, path, isExecutable, shadowedBy }) => ({
      name: `kubectl ${command}`,
      use: 'unknown' as const,
      usedBy: [],
      health: isExecutable && shadowedBy === undefined ? ('healthy' as const) : ('unhealthy' as const),
      evidence: [
        `${path} is on the PATH${isExecutable ? '' : ' but not executable'}.`,
        ...(shadowedBy === undefined ? [] : [`kubectl runs ${shadowedBy} instead, which comes first on the PATH.`]),
      ],
    }))
  },
})
