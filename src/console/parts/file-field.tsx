/** Zone files that are chosen or dropped, also as a folder. */
import { filesOf } from '../dropped.ts';

interface FileFieldProps {
  /** Of one file. */
  readonly take: (text: string, name: string) => void;
  readonly takeMany: (files: readonly File[]) => void;
}

export function FileField({ take, takeMany }: FileFieldProps) {
  const read = async (files: readonly File[]) => {
    const [first] = files;
    if (files.length > 1) takeMany(files);
    else if (first !== undefined) take(await first.text(), first.name);
  };
  return (
    <label
      class="filter drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer !== null) void filesOf(event.dataTransfer).then(read);
      }}
    >
      <span>
        Choose a zone file or several, drop them or a folder here, or paste the text of one below
      </span>
      <input
        type="file"
        multiple
        onChange={({ currentTarget: { files } }) => void read([...(files ?? [])])}
      />
    </label>
  );
}
