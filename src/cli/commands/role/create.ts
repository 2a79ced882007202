/** `role create`: POST /roles. */
import type { Role } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { required, text } from '../../field.ts';
import { roleTable } from './shared.ts';

export const roleCreate = defineCommand({
  usage: 'create <name>',
  summary: 'Create a role; it may do nothing until it is granted something',
  examples: [['zonebook role create dns-ops --description "who is on call"', 'a role to grant to']],
  positionals: { name: required('name of the role: letters, digits, dot, hyphen, underscore') },
  options: { description: text('operator note, up to 255 characters') },
  async run({ name, description }, context) {
    const client = await context.client();
    const answer = await client.post<{ role: Role }>('/roles', { name, description });
    await context.output.show(answer, () => {
      const table = roleTable([answer.role], context.output);
      return `created role ${answer.role.name}\n${table}`;
    });
  },
});
