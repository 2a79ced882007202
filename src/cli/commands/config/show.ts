/** `config show`: the effective configuration, as TOML for people and for the service. */
import { defineCommand } from '../../command.ts';

export const configShow = defineCommand({
  usage: 'show',
  summary: 'Show the effective configuration with every default',
  notes: 'What is shown as a table is TOML, and reads back as the same configuration.',
  examples: [
    ['zonebook config show', 'every key with its meaning'],
    ['zonebook config show -o table > zonebook.toml', 'a file to start from'],
  ],
  where: 'host',
  async run(_, context) {
    const { settings, text } = await context.config();
    await context.output.show(nested(settings), () => text);
  },
});

/** Settings by path as objects in objects: what `api.listen_port` is in TOML. */
function nested(settings: Readonly<Record<string, unknown>>): object {
  const tree: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(settings)) {
    const names = path.split('.');
    const last = names.pop()!;
    let section = tree;
    for (const name of names) {
      section[name] ??= {};
      section = section[name] as Record<string, unknown>;
    }
    section[last] = value ?? null;
  }
  return tree;
}
