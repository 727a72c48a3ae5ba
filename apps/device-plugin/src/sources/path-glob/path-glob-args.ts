import { z } from 'zod'

/** Arguments of the source `path-glob`. */
export const pathGlobArgs = z
  .strictObject({
    paths: z
      .array(z.string().regex(/^\//, 'expected an absolute path').max(4096))
      .min(1)
      .max(100)
      .describe(
        'Absolute host paths with the wildcards *, ?, [a-z], {a,b} and **. Symbolic links are followed (see followOutside); the device keeps the name of the link.',
      ),
    permissions: z
      .string()
      .regex(/^(?!.*(.).*\1)[rwm]{1,3}$/, 'expected a combination of r, w and m')
      .optional()
      .describe(
        'Access of containers: a combination of r (read), w (write) and m (mknod). Default: rw for a device node; anything else is mounted read-only.',
      ),
    followOutside: z
      .boolean()
      .default(false)
      .describe(
        'Also offer links to files outside the directory of the pattern (its part before the first wildcard). Links to device nodes are always followed. Any user who can write to that directory can then mount any host path into a container.',
      ),
    containerPath: z
      .string()
      .regex(/^\//, 'expected an absolute path')
      .optional()
      .describe('Path in the container. {name} is the last part of the host path. Default: the host path.'),
    slots: z
      .int()
      .min(1)
      .max(1000)
      .default(1)
      .describe('Number of containers that may use one path at the same time. Each slot counts as one device.'),
    healthFile: z
      .string()
      .regex(/^\//, 'expected an absolute path')
      .optional()
      .describe(
        'File that contains Healthy or Unhealthy. {name} is the last part of the host path. Any other content, or a missing file, means unhealthy.',
      ),
    checkReadable: z
      .boolean()
      .default(false)
      .describe('Treat a path that this process cannot read as unhealthy. By default, a path that exists is healthy.'),
    topology: z.boolean().default(true).describe('Report the NUMA node of a device node to the kubelet.'),
    rescanSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(5)
      .describe(
        'Interval between two scans for the paths, in seconds. A change in their directories also starts a scan.',
      ),
  })
  .superRefine(({ paths, containerPath }, context) => {
    const isOnePath = paths.length === 1 && !/[*?[{]/.test(paths[0] ?? '')
    if (containerPath === undefined || containerPath.includes('{name}') || isOnePath) return
    const message = 'expected {name} in the path, because a container may get several devices'
    context.addIssue({ code: 'custom', path: ['containerPath'], message })
  })
  .describe('Arguments of path-glob.')

/** Validated arguments of the source `path-glob`. */
export type PathGlobArgs = z.output<typeof pathGlobArgs>
