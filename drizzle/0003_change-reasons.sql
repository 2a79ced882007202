ALTER TABLE `event` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `event` ADD `reference` text;--> statement-breakpoint
ALTER TABLE `event` ADD `actor_uid` integer;--> statement-breakpoint
ALTER TABLE `role` ADD `reason_required` integer DEFAULT false NOT NULL;